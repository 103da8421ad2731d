"""`python -I launch.py COMMAND...`: runs it; prints its seconds and peak memory in MB.

A process of its own, and a small one: the kernel counts the memory of who starts a program as the
program's own peak.
"""

import os
import sys
import time

start = time.perf_counter()
process = os.posix_spawn(
    sys.argv[1], sys.argv[1:], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, 2, 1)]
)
_, status, usage = os.wait4(process, 0)
seconds = time.perf_counter() - start
sys.stdout.write(f"{seconds} {usage.ru_maxrss / 1024}")
sys.exit(os.waitstatus_to_exitcode(status))
