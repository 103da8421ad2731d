"""Send hostile events to a site: forged, replayed, disordered, duplicated and re-serialised ones.

    python -m tests.annotation.prolific.hostile_events 10000

sends so many, while participants come and go at Prolific's double, and prints what was sent, how
many were answered or worked off wrongly, and how long an answer took. The databases are those of
the tests. It ends with an error if any was wrong.
"""

import os
import sys

import pytest

#: Names the number of events.
TIMES = "FAIRPOOL_HOSTILE_EVENTS"
_TEST = "tests/annotation/publishing/prolific/test_events.py::test_as_many_as_asked_for"


def main(times: int) -> int:
    os.environ[TIMES] = str(times)
    return pytest.main([_TEST, "-n", "0", "-q", "-s", "-m", "long", "--timeout", "0"])


if __name__ == "__main__":
    raise SystemExit(main(int(sys.argv[1])))
