"""Sections of the form of a new batch: which fields are together, and which are folded away."""

from typing import NamedTuple

from django.forms.boundfield import BoundField

#: A section: title, introduction, fields, and whether it is open; rarely used ones are folded.
SECTIONS: tuple[tuple[str, str, tuple[str, ...], bool], ...] = (
    (
        "Queries",
        "",
        ("name", "pool", "scheme", "include_batched", "exclude_labelled"),
        True,
    ),
    (
        "Queries without a pool",
        "Pasted, or from a file.",
        ("queries", "study"),
        False,
    ),
    (
        "Work and pay",
        "",
        ("reward", "assignments_per_hit", "queries_per_hit", "budget"),
        True,
    ),
    (
        "What workers read",
        "Its language, title and description, a contact, and a consent text.",
        (
            "language",
            "title",
            "description",
            "keywords",
            "contact",
            "consent",
            "suggested_by",
        ),
        False,
    ),
    (
        "Who may work",
        "Everybody, unless you ask for more.",
        ("locales", "min_approval", "min_approved", "masters", "share_percent", "not_from"),
        False,
    ),
    (
        "Quality",
        "Queries with a known answer, a test before the first HIT, votes where they matter.",
        (
            "gold",
            "comprehension",
            "comprehension_question",
            "adaptive",
            "question",
            "full_share",
            "most_votes",
        ),
        False,
    ),
    (
        "Time and order",
        "How long it is offered, how long a HIT may take, when answers are paid at the latest.",
        ("lifetime_seconds", "duration_seconds", "auto_approval_seconds", "together", "seed"),
        False,
    ),
)


#: Fields whose labels count queries, or pairs where the pool has them.
COUNTING_FIELDS = (
    *("include_batched", "exclude_labelled", "assignments_per_hit", "queries_per_hit"),
    *("gold", "full_share", "most_votes"),
)


class Section(NamedTuple):
    """Fields that belong together, folded away unless something is filled in or wrong."""

    title: str
    says: str
    fields: list[BoundField]
    is_open: bool
    has_gold: bool
