"""The refusals of the service, in the shapes and words of Amazon's."""


class CrowdError(Exception):
    """A refusal in the protocol: `code` is the error's type, `message` its text."""

    status = 400
    code = "RequestError"

    def __init__(self, message: str, *, code: str | None = None, turk_code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.turk_code = turk_code and f"AWS.MechanicalTurk.{turk_code}"


class RequestError(CrowdError):
    """The request is well formed, but cannot be done."""


class ParameterError(CrowdError):
    """A value is outside the service's limits, though the model allows it."""

    code = "ParameterValidationError"


class ValidationError(CrowdError):
    """A value breaks the model: missing, too long, not of the pattern, not of the enumeration."""

    code = "ValidationException"


class SignatureError(CrowdError):
    code = "InvalidSignatureException"


def does_not_exist(noun: str, entity_id: str) -> RequestError:
    """`noun` as Amazon writes it: `Hit`, `Assignment`, `HITType`, `QualificationType`."""
    return RequestError(f"{noun} {entity_id} does not exist.", turk_code=f"{noun}DoesNotExist")


def wrong_state(noun: str, state: str, allowed: str) -> RequestError:
    return RequestError(
        f"This {noun} is currently in the state '{state}'.  "
        f"This operation can be called with a status of: {allowed}",
        turk_code=f"Invalid{noun}State",
    )


def insufficient_funds() -> RequestError:
    return RequestError(
        "This Requester has insufficient funds in their account to complete this transaction.",
        turk_code="InsufficientFunds",
    )


def token_used(token: str) -> RequestError:
    return RequestError(
        f'The idempotency token "{token}" has already been processed.',
        turk_code="DuplicateRequest",
    )
