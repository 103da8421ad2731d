#!/bin/sh
# Asks for what is due by the clock. More than one does no harm, none means that nothing is retried.
set -eu
exec python -m celery -A config beat --schedule "${FAIRPOOL_DATA_DIR:-var}/beat" --loglevel warning
