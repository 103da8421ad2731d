"""`python -m fairpool`, in a checkout `python -m metrics`."""

import sys

from .cli.main import main

sys.exit(main())
