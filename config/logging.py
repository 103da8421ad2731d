"""Log lines on standard error, key=value or JSON, with the context of the present work.

Secrets are removed from every line before it is written.
"""

import logging
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from metrics.io.redaction import hide, redact

#: At their lowest level these log whole requests with signatures, statements with values, and every
#: message of a worker.
_CHATTY = (
    "botocore",
    "boto3",
    "s3transfer",
    "urllib3",
    "django.db.backends",
    "fontTools",
    "celery",
)
#: The web server sets them up before the site is there.
_WITH_HANDLERS_OF_THEIR_OWN = ("gunicorn.error", "gunicorn.access")
#: At every level but the highest these say what the log of accounts says better: axes counts each
#: guess as a failure before it is tried, and knows no name.
_SPOKEN_FOR = ("axes",)


def configure(options: dict[str, Any]) -> None:
    """Route the standard library's loggers through structlog at `options["level"]`.

    `options["format"]` is `logfmt` (pairs key=value) or `json` (an object on each line).
    `options["secrets"]` are values that no line may contain.
    """
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso"),
    ]
    renderers: dict[str, Processor] = {
        "logfmt": structlog.processors.LogfmtRenderer(
            key_order=["timestamp", "level", "event"], drop_missing=True
        ),
        "json": structlog.processors.JSONRenderer(ensure_ascii=False),
    }
    handler = logging.StreamHandler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                renderers[options["format"]],
                _redacted,
            ],
        )
    )
    hide(options["secrets"])
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(options["level"])
    for name in _CHATTY:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    for name in _WITH_HANDLERS_OF_THEIR_OWN:
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    for name in _SPOKEN_FOR:
        logging.getLogger(name).setLevel(logging.ERROR)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def _redacted(_logger: WrappedLogger, _name: str, line: EventDict | str) -> str:
    """Return the line without secrets; the last processor."""
    return redact(str(line))
