"""The scheme of a batch, and the texts of its HITs' pages."""

from annotation.core.versions import State
from annotation.models import Batch, SchemeVersion
from annotation.task_page import PageTexts


def page_texts(batch: Batch) -> PageTexts:
    """Texts of every page of the batch, beside its queries."""
    return PageTexts(batch.scheme, batch.consent, batch.contact, shown_suggestions(batch))


def latest_scheme(batch: Batch) -> SchemeVersion | None:
    """Return the version in force; None for imported votes without a scheme."""
    return batch.scheme_versions.order_by("-number").first()


def shown_suggestions(batch: Batch) -> dict[str, str]:
    """The category that a model suggests to annotators of the batch, by the query's id."""
    if not batch.suggested_by:
        return {}
    return dict(batch.queries.exclude(suggestion="").values_list("qid", "suggestion"))


def scheme_state(batch: Batch) -> State:
    """Which scheme and contact of a batch are in force, as a person reads them."""
    latest = latest_scheme(batch)
    # The caller may have read the batch a while ago.
    contact = Batch.objects.values_list("contact", flat=True).get(pk=batch.pk)
    return {
        "Scheme": f"version {latest.number}, by {latest.created_by}" if latest else "as built in",
        "Contact": contact or "none",
    }
