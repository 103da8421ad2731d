"""The log of accounts: sign-ins, passwords, tokens, permissions. Append only."""

from django.db import models

from annotation.vocabulary import LONGEST_USERNAME, AccountAction


class AccountEvent(models.Model):
    """One act on an account: whose it is, who did it, from where, and when; never a secret."""

    account = models.CharField(max_length=LONGEST_USERNAME, db_index=True, help_text="User name.")
    actor = models.CharField(
        max_length=LONGEST_USERNAME, blank=True, help_text="Who did it; empty: not known."
    )
    address = models.CharField(
        max_length=45, blank=True, help_text="Of the client; or this server, for a command or job."
    )
    action = models.CharField(max_length=50, choices=AccountAction)
    detail = models.JSONField(default=dict)
    at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        ordering = ("-at", "-id")

    def __str__(self) -> str:
        return f"{self.action}: {self.account} by {self.actor}"
