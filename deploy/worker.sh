#!/bin/sh
# Does the background tasks that the broker sends.
set -eu
# A second one on a machine needs a name of its own: RabbitMQ refuses two workers of one name.
exec python -m celery -A config worker --hostname "${WORKER_NAME:-celery}@%h" \
  --concurrency "${WORKER_PROCESSES:-2}" --loglevel warning
