"""Links that sign a person in once, last uses of tokens, security keys."""

from django.conf import settings
from django.db import models

from annotation.vocabulary import LONGEST_KEY_NAME


class SignInLink(models.Model):
    """A link that signs its user in once, within a short time. Only its digest is stored."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sign_in_links"
    )
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the link's token.")
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"for {self.user_id} until {self.expires_at}"


class SecurityKey(models.Model):
    """A security key of an account: its public key, and how often it has signed."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="security_keys"
    )
    name = models.CharField(max_length=LONGEST_KEY_NAME)
    credential_id = models.CharField(max_length=2_046, unique=True, help_text="Hexadecimal.")
    credential = models.BinaryField(help_text="What the key attests of itself, as WebAuthn has it.")
    uses = models.PositiveBigIntegerField(help_text="The key's own counter; 0 where it has none.")
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["user", "name"], name="security_key_has_own_name"),
        )

    def __str__(self) -> str:
        return f"{self.name} of {self.user_id}"


class TokenUse(models.Model):
    """When a token of the API was last used, to the minute."""

    token = models.OneToOneField(
        "knox.AuthToken", on_delete=models.CASCADE, primary_key=True, related_name="use"
    )
    last_used_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.token_id} at {self.last_used_at}"
