"""Agreement and decisions of a table of votes, with `fairpool[votes]` alone and without it."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from .conftest import MODULE, PROGRAM

#: Two items on which both agree, one on which they differ.
ROWS = {"task": [*"112233"], "worker": [*"ababab"], "label": [*"ffmmfm"]}
_CALL = f"""
import sys
sys.modules[{{missing!r}}] = None
import {MODULE} as fairpool
try:
    print(fairpool.{{call}})
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
        ("pandas", "Majority().fit_predict({})"),
        ("pandas", "read_votes('votes.csv').to_frame()"),
        ("scipy", f"decide(__import__('pandas').DataFrame({ROWS}), 'dawid_skene')"),
        ("scipy", f"DawidSkene().fit(__import__('pandas').DataFrame({ROWS}))"),
    ],
)
def test_without_the_extra_it_is_named(
    missing: str, call: str, votes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if missing != "pandas":
        pytest.importorskip("pandas")
    assert printed(missing, call, votes, monkeypatch) == (
        f"this needs the package {missing}, which is not installed. "
        "Install it with: pip install 'fairpool[votes]'.\n"
    )


def test_a_file_is_read_and_decided_without_any_extra(
    votes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = printed("pandas", "read_votes('votes.csv').known", votes, monkeypatch)
    command = [sys.executable, "-m", PROGRAM, "decide", str(votes), "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert read == "{}\n"
    assert [line.split(",")[:3] for line in done.stdout.splitlines()[1:]] == [
        ["1", "f", "decided"],
        ["2", "m", "decided"],
        ["3", "", "tie"],
    ]


def test_agreement_of_a_file_by_the_program(votes: Path) -> None:
    pytest.importorskip("scipy")

    command = [sys.executable, "-m", PROGRAM, "agree", str(votes)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    # By hand, as above.
    assert done.stdout.splitlines()[1].startswith("alpha,,nominal,0.4444444")


def printed(missing: str, call: str, votes: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a call prints, or its error, in the folder of the votes and without a package."""
    monkeypatch.setenv("PYTHONPATH", str(Path.cwd()))
    code = _CALL.format(missing=missing, call=call)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        cwd=votes.parent,
    )
    return done.stdout


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    rows = zip(*ROWS.values(), strict=True)
    path.write_text("\n".join(map(",".join, [tuple(ROWS), *rows])))
    return path
