"""Requesters, their keys, their money, and the request tokens that they have used."""

from django.db import models
from django.db.models import F, Q
from django.utils.crypto import salted_hmac


class Requester(models.Model):
    """An account that publishes HITs. Requesters never see each other's data.

    `balance_cents` is what was paid in and not spent; `held_cents` the part of it that is held for
    the assignments of open HITs.
    """

    name = models.CharField(max_length=150, unique=True)
    balance_cents = models.BigIntegerField(default=1_000_000)
    held_cents = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        constraints = [
            models.CheckConstraint(condition=Q(held_cents__gte=0), name="crowd_hold_not_negative"),
            models.CheckConstraint(
                condition=Q(balance_cents__gte=F("held_cents")), name="crowd_balance_covers_holds"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class KeyPair(models.Model):
    """The key pair that signs a requester's calls.

    Checking a signature needs the secret, so it cannot be hashed like a password. It is not stored
    either: it is derived from the site's own secret key and `nonce`, so that a copy of this
    database alone signs nothing.
    """

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="keys")
    access_key_id = models.CharField(max_length=32, unique=True)
    nonce = models.CharField(max_length=64)
    active = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("created_at",)

    def __str__(self) -> str:
        return self.access_key_id

    @property
    def secret_access_key(self) -> str:
        return salted_hmac(
            "crowd-service.key-pair", f"{self.access_key_id}:{self.nonce}", algorithm="sha256"
        ).hexdigest()


class RequestToken(models.Model):
    """A `UniqueRequestToken` that was used; it protects against a second execution for a day."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="+")
    scope = models.CharField(max_length=40, help_text="What was asked, e.g. CreateHIT.")
    token = models.CharField(max_length=64)
    subject = models.CharField(max_length=64, blank=True, help_text="Id of what it made.")
    used_at = models.DateTimeField()

    class Meta:
        ordering = ("used_at",)
        constraints = [
            models.UniqueConstraint(
                fields=["requester", "scope", "token"], name="crowd_token_once_per_requester"
            ),
        ]

    def __str__(self) -> str:
        return self.token
