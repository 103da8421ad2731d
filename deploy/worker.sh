#!/bin/sh
# Does the background tasks that the broker sends: with WORKER_LANE=short or long only those of that
# lane, so that a short job does not wait behind long ones.
set -eu
queue="${CELERY_QUEUE:-fairpool}"
case "${WORKER_LANE:-}" in
  short) set -- --queues "$queue" ;;
  long) set -- --queues "$queue-long" ;;
  "") set -- ;;
  *) echo "WORKER_LANE is $WORKER_LANE: use short, long or nothing" >&2; exit 2 ;;
esac
# A second one on a machine needs a name of its own: RabbitMQ refuses two workers of one name.
exec python -m celery -A config worker --hostname "${WORKER_NAME:-celery}@%h" \
  --concurrency "${WORKER_PROCESSES:-2}" --loglevel warning "$@"
