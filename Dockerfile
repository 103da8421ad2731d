# One image for every part: web, worker and beat differ by their command alone (see compose.yaml).
FROM python:3.11-slim-bookworm AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/venv
COPY requirements.txt /tmp/requirements.txt
RUN /opt/venv/bin/pip install --require-hashes -r /tmp/requirements.txt

FROM python:3.11-slim-bookworm
# pg_dump and pg_restore, for backup and restore.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends postgresql-client \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --create-home --home-dir /home/fairpool fairpool \
    && install --directory --owner=fairpool /data /backups
COPY --from=build /opt/venv /opt/venv
COPY . /app
WORKDIR /app
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 FAIRPOOL_DATA_DIR=/data
USER fairpool
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s \
    CMD ["python", "deploy/healthcheck.py", "http://127.0.0.1:8000/healthz"]
CMD ["deploy/web.sh"]
