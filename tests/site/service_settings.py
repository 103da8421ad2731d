"""Settings of a crowd service that runs alone, in processes of its own."""

from tests.settings import *  # noqa: F403 - the settings of the tests are the settings

ROOT_URLCONF = "tests.mturk_local.urls"
