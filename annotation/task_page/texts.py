"""Fixed texts of the task page in each language: in its HTML and in its script."""

import json
from functools import cache

from annotation.schemes import About
from annotation.task_page.languages import translator


@cache
def fixed_texts(language: str, about: About = About.QUERY) -> dict[str, str]:
    """The texts of the HTML, by name, on pages that show queries, or passages with them."""
    _ = translator(language)
    texts = {
        "examples": _("Examples"),
        "borderline": _("Borderline:"),
        "warning": _("Content warning"),
        "consent": _("Consent"),
        "agree": _("I have read this and agree to take part."),
        "contact": _("Questions? Write to"),
        "start": _("Start"),
        "back": _("Back to the query"),
        "previous": _("Previous"),
        "previous_query": _("Previous query"),
        "all": _("All"),
        "all_queries": _("All queries"),
        "help": _("Definitions and examples"),
        "next": _("Next"),
        "progress": _("Queries answered"),
        "query_place": _("Query {place} of {number}"),
        "suggestion": _("A computer suggests, and may be wrong:"),
        "several": _("Choose all that apply."),
        "optional": _("(optional)"),
        "cannot_tell": _("I cannot tell"),
        "none": _("None of these"),
        "why": _("Why? (optional)"),
        "skip": _("Leave out this query"),
        "review": _("Your answers"),
        "comment": _("A comment on this task (optional)"),
        "preview": _("This is a preview. Accept the task to answer."),
        "submit": _("Submit"),
        "keys": _(
            "Keys: the sign beside an answer chooses it, 0 is “I cannot tell”, Enter goes on, "
            "B goes back, ? shows the definitions."
        ),
        "keys_without_doubt": _(
            "Keys: the sign beside an answer chooses it, Enter goes on, B goes back, ? shows the "
            "definitions."
        ),
    }
    of_passages = {
        "back": _("Back to the passage"),
        "previous_query": _("Previous passage"),
        "all_queries": _("All passages"),
        "progress": _("Passages answered"),
        "query_place": _("Passage {place} of {number}"),
        "skip": _("Leave out this passage"),
        "passage": _("Passage"),
        "whole": _("Show the whole passage"),
    }
    return texts | of_passages if about == About.PASSAGE else texts


@cache
def script_texts(language: str, about: About = About.QUERY) -> str:
    """The texts of the script as JSON, by name; it fills in the words in braces."""
    _ = translator(language)
    texts = {
        "chooseFirst": _("Choose an answer first."),
        "answered": _("Query {n}: {name}."),
        "last": _("That was the last one: look over your answers and submit."),
        "open": _("Query {n} has no answer yet."),
        "agreeFirst": _("Please agree to take part, or return the task."),
        "offline": _(
            "There is no connection. Your answers are kept, and sent as soon as it is back. "
            "Leave this page open."
        ),
        "sending": _("Sending your answers."),
        "restored": _("Your earlier answers are back."),
        "skipped": _("left out"),
        "change": _("Change"),
        "changeLabel": _("Change the answer to query {n}"),
        "answer": _("Answer"),
        "answerLabel": _("Answer query {n}"),
    }
    of_passages = {
        "answered": _("Passage {n}: {name}."),
        "open": _("Passage {n} has no answer yet."),
        "changeLabel": _("Change the answer to passage {n}"),
        "answerLabel": _("Answer passage {n}"),
        "mark": _("Mark the query’s words"),
    }
    return json.dumps(texts | of_passages if about == About.PASSAGE else texts)
