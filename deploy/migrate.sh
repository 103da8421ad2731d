#!/bin/sh
# Brings both databases and the static files up to this version. Safe to run again.
set -eu
python manage.py migrate --verbosity 0
python manage.py migrate --database crowd --verbosity 0
python manage.py collectstatic --no-input --verbosity 0
python manage.py crowd key --quiet
