"""Ends with 0 if the address answers 200: the health check of the containers."""

import sys
import urllib.error
import urllib.request

try:
    with urllib.request.urlopen(sys.argv[1], timeout=4) as reply:  # noqa: S310 - given by compose.yaml
        sys.exit(0 if reply.status == 200 else 1)  # noqa: PLR2004 - HTTP's own number
except (OSError, urllib.error.URLError):
    sys.exit(1)
