import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import repeats
from metrics.repeats import Repeats, digest


def first_repeat(keys: list[bytes]) -> tuple[int, int] | None:
    """What `Repeats.first` has to give, with a dictionary of all keys."""
    seen: dict[bytes, int] = {}
    for number, key in enumerate(keys):
        if key in seen:
            return number, seen[key]
        seen[key] = number
    return None


@given(st.lists(st.binary(max_size=2), max_size=60), st.sampled_from([1, 3, 1 << 24]))
def test_the_first_repeated_key_is_found_in_one_pass_and_in_many(
    keys: list[bytes], keys_per_pass: int
) -> None:
    with pytest.MonkeyPatch.context() as patch, Repeats() as found:
        patch.setattr(repeats, "_KEYS_PER_PASS", keys_per_pass)
        patch.setattr(repeats, "_KEYS_PER_READ", 7)
        for key in keys:
            found.add(digest(key))

        assert found.first() == first_repeat(keys)


def test_keys_that_share_half_of_their_digest_are_different() -> None:
    with Repeats() as found:
        found.add(bytes(8) + b"a" * 8 + bytes(8) + b"b" * 8)

        assert found.first() is None


def test_no_keys_have_no_repeat() -> None:
    with Repeats() as found:
        assert found.first() is None
