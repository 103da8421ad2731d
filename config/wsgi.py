"""The WSGI application that gunicorn serves."""

import os

from django.core.wsgi import get_wsgi_application

from annotation.reach import only_this_machine

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = only_this_machine(get_wsgi_application())
