#!/bin/sh
# Serves the site. Requests wait for the database and the crowd rather than for the processor, so
# few processes with several threads each; the replies are short, so a process that hangs is killed.
# Connections that rest cost no thread, and one that is closed while its browser sends loses a click.
set -eu
# Where its processes add up how long requests took, for /metrics.
PROMETHEUS_MULTIPROC_DIR="$(mktemp -d)"
export PROMETHEUS_MULTIPROC_DIR
exec python -m gunicorn config.wsgi \
    --config config/web_server.py \
    --bind "${BIND:-0.0.0.0:8000}" \
    --workers "${WEB_WORKERS:-2}" \
    --threads "${WEB_THREADS:-20}" \
    --timeout 60 \
    --keep-alive 75 \
    --graceful-timeout 30 \
    --max-requests 10000 --max-requests-jitter 1000 \
    --log-level warning \
    --no-control-socket
