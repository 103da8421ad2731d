#!/bin/sh
# Does the background tasks that the broker sends.
set -eu
exec python -m celery -A config worker --concurrency "${WORKER_PROCESSES:-2}" --loglevel warning
