"""Sending mail, whose failure is a line in the log and hurts nothing else."""

import structlog
from django.core.mail import EmailMessage

log = structlog.get_logger(__name__)


def mail_is_sent(message: EmailMessage, **about: object) -> bool:
    """Send the message, and return whether the mail server took it."""
    try:
        message.send()
    except (OSError, ValueError) as error:  # whatever the server replies, or an address that is
        # none; the text may contain it
        log.warning("mail not sent", why=type(error).__name__, **about)
        return False
    return True
