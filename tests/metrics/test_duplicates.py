import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.texts import duplicates
from metrics.texts.duplicates import Duplicates, digest


def first_duplicate(keys: list[bytes]) -> tuple[int, int] | None:
    """What `Duplicates.first` has to give, with a dictionary of all keys."""
    seen: dict[bytes, int] = {}
    for number, key in enumerate(keys):
        if key in seen:
            return number, seen[key]
        seen[key] = number
    return None


@given(
    st.lists(st.binary(max_size=2), max_size=60),
    st.sampled_from([1, 3, 1 << 24]),
    st.sampled_from([0, 400, 1 << 28]),
    st.integers(1, 9),
)
def test_the_first_duplicateed_key_is_found_in_memory_and_on_disk_in_any_number_of_passes(
    keys: list[bytes], keys_per_pass: int, in_memory: int, at_once: int
) -> None:
    with pytest.MonkeyPatch.context() as patch, Duplicates() as found:
        patch.setattr(duplicates, "_KEYS_PER_PASS", keys_per_pass)
        patch.setattr(duplicates, "_KEYS_PER_READ", 7)
        patch.setattr(duplicates, "_IN_MEMORY", in_memory)
        patch.setattr(duplicates, "_PART", 64)
        for start in range(0, len(keys), at_once):
            found.add(b"".join(map(digest, keys[start : start + at_once])))

        assert found.first() == first_duplicate(keys)


def test_keys_that_share_half_of_their_digest_are_different() -> None:
    with Duplicates() as found:
        found.add(bytes(8) + b"a" * 8 + bytes(8) + b"b" * 8)

        assert found.first() is None


def test_no_keys_have_no_repeat() -> None:
    with Duplicates() as found:
        assert found.first() is None
