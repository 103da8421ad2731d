"""Fixed texts of the task page in each language: in its HTML and in its script."""

from collections.abc import Callable
from functools import cache

from annotation.task_page.languages import translator


@cache
def fixed_texts(language: str) -> dict[str, str]:
    """The texts of the HTML, by name."""
    _ = translator(language)
    return {
        "examples": _("Examples"),
        "borderline": _("Borderline:"),
        "consent": _("Consent"),
        "agree": _("I have read this and agree to take part."),
        "contact": _("Questions? Write to"),
        "start": _("Start"),
        "back": _("Back to the query"),
        "undo": _("Undo"),
        "help": _("Categories and examples"),
        "next": _("Next"),
        "progress": _("Queries answered"),
        "query_place": _("Query {place} of {number}"),
        "suggestion": _("A computer suggests, and may be wrong:"),
        "cannot_tell": _("I cannot tell"),
        "query_comment": _("Why? (optional)"),
        "review": _("Your answers"),
        "comment": _("A comment on this task (optional)"),
        "preview": _("This is a preview. Accept the task to answer."),
        "submit": _("Submit"),
        "keys": _(
            "Keys: 1 to 4 choose a category and go on, 5 is “I cannot tell”, Enter goes on, "
            "U undoes, ? shows the categories."
        ),
    }


def script_texts(_: Callable[[str], str]) -> dict[str, str]:
    """The texts of the script, by name; it fills in the words in braces."""
    return {
        "chooseFirst": _("Choose an answer first."),
        "answered": _("Query {n}: {name}."),
        "last": _("That was the last one: look over your answers and submit."),
        "undone": _("Undone. Query {n} again."),
        "open": _("Query {n} has no answer yet."),
        "agreeFirst": _("Please agree to take part, or return the task."),
        "offline": _(
            "There is no connection. Your answers are kept, and sent as soon as it is back. "
            "Leave this page open."
        ),
        "sending": _("Sending your answers."),
        "restored": _("Your earlier answers are back."),
        "change": _("Change"),
        "changeLabel": _("Change the answer to query {n}"),
    }
