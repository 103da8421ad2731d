#!/usr/bin/env python
"""Django's command line: `python manage.py help` lists what Fairpool can do."""

import atexit
import gc
import os
import sys

from django.core.management import execute_from_command_line

from config.preparing import prepare_data_folder
from mturk_local.environment.reading import SettingsError

if __name__ == "__main__":
    # To start makes a million objects and next to no garbage: look for it less often.
    gc.set_threshold(50_000, 20, 20)
    # What is there at the end goes with the process: no need to look for garbage among it.
    atexit.register(gc.freeze)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        prepare_data_folder(sys.argv)
        execute_from_command_line(sys.argv)
    except SettingsError as error:
        if "--traceback" in sys.argv:
            raise
        sys.exit(str(error))
