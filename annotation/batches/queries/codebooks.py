"""The codebook or scheme of a batch, and what the pages of its HITs say."""

from annotation.core.versions import State
from annotation.models import Batch, CodebookVersion, SchemeVersion
from annotation.schemes import Scheme, scheme_from_json
from annotation.task_page import Codebook, PageTexts, standard_codebook


def latest_codebook(batch: Batch) -> CodebookVersion | None:
    """The version in force; None for imported votes and labels, whose page we do not know."""
    return batch.codebook_versions.order_by("-number").first()


def page_texts(batch: Batch) -> PageTexts:
    """Texts of every page of the batch, beside its queries."""
    latest = latest_codebook(batch)
    codebook = Codebook.from_json(latest.texts) if latest else standard_codebook()
    return PageTexts(
        codebook, batch.consent, batch.contact, shown_suggestions(batch), batch_scheme(batch)
    )


def latest_scheme(batch: Batch) -> SchemeVersion | None:
    """The version in force; None for a batch that asks for the paper's categories."""
    return batch.scheme_versions.order_by("-number").first()


def batch_scheme(batch: Batch) -> Scheme | None:
    """The scheme in force; None for a batch that asks for the paper's categories."""
    if not batch.has_scheme:
        return None
    latest = latest_scheme(batch)
    return scheme_from_json(latest.content) if latest else None


def shown_suggestions(batch: Batch) -> dict[str, str]:
    """The category that a model suggests to annotators of the batch, by the query's id."""
    if not batch.suggested_by:
        return {}
    return dict(batch.queries.exclude(suggestion="").values_list("qid", "suggestion"))


def codebook_state(batch: Batch) -> State:
    """Which texts of a batch are in force, as a person reads it."""
    latest = latest_codebook(batch)
    by = f"version {latest.number}, by {latest.created_by}" if latest else "as it ships"
    # Whoever handed the batch over may have read it a while ago.
    contact = Batch.objects.values_list("contact", flat=True).get(pk=batch.pk)
    return {"Codebook": by, "Contact": contact or "none"}


def scheme_state(batch: Batch) -> State:
    """Which scheme of a batch is in force, as a person reads it."""
    latest = latest_scheme(batch)
    by = f"version {latest.number}, by {latest.created_by}" if latest else "the paper's categories"
    return {"Scheme": by}
