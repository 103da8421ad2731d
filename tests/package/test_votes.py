"""Agreement and decisions of a table of votes, with `fairpool[votes]` alone and without it."""

import subprocess
import sys
from types import ModuleType

import pytest

from .conftest import MODULE

#: Two items on which both agree, one on which they differ.
ROWS = {"task": [*"112233"], "worker": [*"ababab"], "label": [*"ffmmfm"]}
_CALL = f"""
import sys
sys.modules[{{missing!r}}] = None
import {MODULE} as fairpool
try:
    fairpool.{{call}}
except fairpool.InputError as error:
    print(error)
"""


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_frame_gives_alpha_and_decisions(fairpool: ModuleType) -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("scipy")

    alpha = fairpool.agreement(pd.DataFrame(ROWS)).iloc[0]
    decided = fairpool.decide(pd.DataFrame(ROWS), "dawid_skene")

    # By hand: 2 of 6 pairable values differ, of 3 f and 3 m 18 of 30 would by chance.
    assert (alpha.coefficient, alpha.value) == ("alpha", pytest.approx(1 - (2 / 6) / (18 / 30)))
    assert list(decided.decided[:2]) == ["f", "m"]


@pytest.mark.parametrize(
    ("missing", "call"),
    [
        ("pandas", "agreement({})"),
        ("pandas", "decide({})"),
        ("scipy", f"decide(__import__('pandas').DataFrame({ROWS}), 'dawid_skene')"),
    ],
)
def test_without_the_extra_it_is_named(missing: str, call: str) -> None:
    if missing != "pandas":
        pytest.importorskip("pandas")
    code = _CALL.format(missing=missing, call=call)
    told = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True
    )
    assert told.stdout == (
        f"this needs the package {missing}, which is not installed. "
        "Install it with: pip install 'fairpool[votes]'.\n"
    )
