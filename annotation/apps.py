from django.apps import AppConfig

from annotation import checks  # noqa: F401 - importing it registers the checks


class AnnotationConfig(AppConfig):
    name = "annotation"
