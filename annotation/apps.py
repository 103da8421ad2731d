from django.apps import AppConfig

from annotation import checks  # noqa: F401 - importing it registers the checks


class AnnotationConfig(AppConfig):
    name = "annotation"

    def ready(self) -> None:
        """Listen to what is done to accounts, by whatever process."""
        from annotation.accounts.operations import account_log, ending  # noqa: F401, PLC0415 - models are needed
