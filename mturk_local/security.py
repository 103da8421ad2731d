"""Rules that hold for the service alone and inside a site, whose settings import them."""

#: Rules for a new password.
PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
    )
]
#: The content security policy of pages on which only our own code runs; frames are added.
OWN_CONTENT_ONLY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'"
)
