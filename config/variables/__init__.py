"""Every variable of the environment that the site reads, in one table.

`.env.example` and docs/settings.md are written from it (`manage.py site document`).
"""

from config.variables import crowd, data, others, site

GROUPS = [*data.GROUPS, *site.GROUPS, *crowd.GROUPS, *others.GROUPS]
