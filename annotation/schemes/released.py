"""Codes in files of votes in the layout of the paper's."""

from annotation import schemes

#: The answer "I cannot tell", which is no vote for a category.
CANNOT_TELL = "u"


def released_code(option: str) -> str:
    """Return the code of a stored option of the categories."""
    return CANNOT_TELL if option == schemes.CANNOT_TELL else option


def stored_option(code: str) -> str:
    """Return the option as it is stored for a code of a file."""
    return schemes.CANNOT_TELL if code == CANNOT_TELL else code
