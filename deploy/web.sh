#!/bin/sh
# Serves the site. Requests wait for the database and the crowd rather than for the processor, so
# few processes with several threads each; the replies are short, so a process that hangs is killed.
set -eu
exec python -m gunicorn config.wsgi \
    --bind "${BIND:-0.0.0.0:8000}" \
    --workers "${WEB_WORKERS:-2}" \
    --threads "${WEB_THREADS:-8}" \
    --timeout 60 \
    --graceful-timeout 30 \
    --max-requests 10000 --max-requests-jitter 1000 \
    --log-level warning \
    --no-control-socket
