from django.apps import AppConfig


class CrowdServiceConfig(AppConfig):
    name = "mturk_local"
    label = "mturk_local"
    verbose_name = "crowd service"
