"""Corrected figures of a batch of drawn queries: on its page, as files, by API and command."""

import csv
import html
import io
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.batches.operations.create import CREATE_BATCH
from annotation.core.parameters import TermError
from annotation.labels.queries.corrected import (
    CorrectedFigures,
    FigureParameters,
    corrected_figures,
)
from annotation.labels.queries.corrected_table import figure_rows, figures_text
from annotation.labels.queries.more_labels import more_labels
from annotation.labels.queries.raters import people_labels
from annotation.labels.queries.stand_in import NOT_VALIDITY, StandInParameters, stand_in_tests
from annotation.labels.queries.stopping import stopping_of
from annotation.models import (
    Batch,
    DrawnSample,
    Label,
    Labelling,
    ModelLabel,
    ModelRater,
    Vote,
)
from annotation.vocabulary import LabelMethod, RaterOrigin
from metrics.statistics.few_labels import Sample, labels_needed, mean_of_subset
from metrics.statistics.figure import student
from pooling.models import Pool
from tests.annotation.test_samples import draw, rated
from tests.commands import run_json
from tests.performing import do
from tests.study import ONE_BY_ONE, stored_pool, stored_study, with_votes

pytestmark = pytest.mark.django_db
NAMES = {f"q{number}": number for number in range(60)}


def truth(qid: str) -> str:
    """What people say: mostly non-gendered from the middle on."""
    return "n" if NAMES[qid] % 10 < NAMES[qid] / 6 else "f"


def labelled(pool: Pool, name: str = "asked") -> Batch:
    """A batch of all queries of a pool, each decided as it is."""
    do(CREATE_BATCH, pool.belongs.study, name=name, pool=pool.pk)
    batch = Batch.objects.get(name=name)
    Labelling.objects.create(batch=batch, question="gender", method=LabelMethod.RELEASED)
    Label.objects.bulk_create(
        Label(
            query=query,
            question="gender",
            method=LabelMethod.RELEASED,
            value=truth(query.qid),
        )
        for query in batch.queries.all()
    )
    return batch


@pytest.fixture
def pool() -> Pool:
    made = stored_pool(60)
    rated(made.belongs.study)
    return made


def figures(batch: Batch, **parameters: Any) -> dict[tuple[str, str, str], dict[str, Any]]:
    found = corrected_figures(batch=batch, parameters=FigureParameters(**parameters))
    assert not found.why_not
    rows = figure_rows(found)
    return {(row["figure"], row["category"], row["run"]): row for row in rows}


def test_they_are_those_of_the_estimators(pool: Pool) -> None:
    batch = labelled(draw(pool, size=30).pool)
    rows = figures(batch)
    assert [key[0] for key in rows] == ["share"] * 4 + ["mean"] * 2 + ["difference"]
    qids = sorted(NAMES)
    drawn = set(batch.queries.values_list("qid", flat=True))
    at = [row for row, qid in enumerate(qids) if qid in drawn]
    belief, bias = [NAMES[one] / 60 for one in qids], [-1 + NAMES[one] * 2 / 59 for one in qids]
    sample = Sample.of(belief, at, [truth(qids[row]) == "n" for row in at])
    expected = mean_of_subset(sample, bias)
    mean = rows["mean", "n", "BM25"]
    assert (mean["corrected"], mean["corrected_low"]) == pytest.approx(
        (expected.value, expected.low)
    )
    assert mean["models"] == pytest.approx(expected.naive)
    assert (mean["n"], mean["weight"]) == (30, pytest.approx(expected.weight))
    difference = rows["difference", "n", "LSA"]
    assert (difference["baseline"], difference["n"]) == ("BM25", 30)
    assert rows["difference", "n", "LSA"]["corrected"] == pytest.approx(-mean["corrected"] / 2)
    wider = figures(batch, target="population")["mean", "n", "BM25"]
    assert wider["corrected_low"] < mean["corrected_low"]
    assert ("difference", "n", "BM25") in figures(batch, baseline="LSA")


@pytest.mark.parametrize("design", ONE_BY_ONE)
def test_a_sample_that_is_continued_is_one_sample(pool: Pool, design: str) -> None:
    first = draw(pool, size=24, design=design)
    labelled(first.pool, "first")
    second = draw(first.pool, size=12)
    row = figures(labelled(second.pool, "second"))["mean", "n", "BM25"]
    asked = Batch.objects.get(name="first").queries.count() + second.pool.queries.count()
    assert row["n"] == asked
    assert row["corrected_low"] < row["corrected"] < row["corrected_high"]


def test_what_was_not_drawn_has_no_figures_and_is_told_why(pool: Pool) -> None:
    whole, other = labelled(pool), labelled(pool, "other")
    Batch.objects.filter(pk=other.pk).update(pool=None)
    other.refresh_from_db()
    part = labelled(draw(pool).pool, "part")
    Label.objects.filter(query__batch=part, query__position=0).delete()
    for batch, why in (
        (whole, "whole pool"),
        (other, "not drawn at random"),
        (part, "1 of the 20"),
    ):
        found = corrected_figures(batch=batch, parameters=FigureParameters())
        assert why in found.why_not
        assert not found.figures


def test_without_models_the_figures_are_those_of_people(pool: Pool) -> None:
    batch = labelled(draw(pool, size=30).pool)
    ModelLabel.objects.all().delete()
    pool.belongs.study.model_raters.all().delete()
    found = corrected_figures(batch=batch, parameters=FigureParameters())
    assert all(one.corrected is None and one.naive is None for one in found.figures)
    assert "Import a model's labels" in " ".join(found.notes)
    assert figures(batch)["mean", "n", "BM25"]["people_low"] is not None


def test_labels_that_a_model_gave_away_are_remarked_on(pool: Pool) -> None:
    batch = labelled(draw(pool, size=30).pool)
    for label in ModelLabel.objects.all():
        label.belief, label.category = 1.0, truth(label.qid)
        label.save()
    found = corrected_figures(batch=batch, parameters=FigureParameters())
    assert any("copied" in note for note in found.notes)


def test_queries_that_a_prompt_shows_are_not_taken_from_that_model(pool: Pool) -> None:
    batch = labelled(draw(pool, size=30).pool)
    before = figures(batch)
    rater = ModelRater.objects.get()
    shown = pool.queries.get(qid="q7").text.upper()
    rater.prompt = f"- n: neither. Examples: {shown}; another"
    rater.save()
    found = corrected_figures(batch=batch, parameters=FigureParameters())
    assert (found.n_shown, found.n_unknown) == (1, 1)
    assert any("Prompts of the models show" in note for note in found.notes)
    other = ModelRater.objects.create(study=rater.study, name="other", origin=RaterOrigin.IMPORTED)
    ModelLabel.objects.create(rater=other, qid="q7", category="n", belief=7 / 60)
    after = figures(batch)
    assert after["mean", "n", "BM25"]["corrected"] == before["mean", "n", "BM25"]["corrected"]


def test_of_a_label_that_is_changed_after_the_draw_the_new_one_counts(pool: Pool) -> None:
    sample = draw(pool, size=30, design="unequal")
    batch = labelled(sample.pool)
    before, chances = figures(batch), dict(sample.chances)
    label = Label.objects.filter(query__batch=batch, value="f").earliest("pk")
    label.value = "n"
    label.save()
    ModelLabel.objects.filter(qid=label.query.qid).update(belief=0.01)
    after = figures(batch)
    sample.refresh_from_db()
    assert sample.chances == chances
    assert after["share", "n", ""]["people"] > before["share", "n", ""]["people"]
    assert after["share", "n", ""]["n"] == before["share", "n", ""]["n"]


def test_labels_of_a_later_batch_go_before_those_of_an_earlier_one(pool: Pool) -> None:
    sample = draw(pool, size=20)
    labelled(sample.pool, "first")
    later = labelled(sample.pool, "second")
    Label.objects.filter(query__batch=later).update(value="o")
    share = figures(later)["share", "o", ""]
    assert (share["people"], share["n"]) == (pytest.approx(1, abs=0.1), 20)
    assert set(people_labels(study=later.study, question="gender").values()) == {"o"}


def test_a_model_that_believes_the_same_of_all_changes_no_share(pool: Pool) -> None:
    ModelLabel.objects.update(belief=0.4)
    for number, design in enumerate(ONE_BY_ONE):
        batch = labelled(draw(pool, size=30, design=design, seed=4).pool, f"asked {number}")
        row = figures(batch)["share", "n", ""]
        for end in ("", "_low", "_high"):
            assert row[f"corrected{end}"] == row[f"people{end}"]


def test_every_interface_gives_the_same_figures(pool: Pool, admin_client: Client) -> None:
    batch = labelled(draw(pool, size=30).pool)
    page = admin_client.get(reverse("batch-figures", args=[batch.pk]), {"baseline": "LSA"})
    assert page.status_code == 200
    found = page.context["found"]
    rows = figure_rows(found)
    address = reverse("batch-figures-file", args=[batch.pk])
    reply: Any = admin_client.get(address, {"baseline": "LSA"})
    sent = b"".join(reply.streaming_content).decode()
    assert sent == figures_text(found, "csv")
    read = list(csv.DictReader(io.StringIO(sent)))
    assert float(read[-1]["corrected"]) == rows[-1]["corrected"]
    latex = figures_text(found, "latex")
    assert all(
        mark in latex for mark in (r"\toprule", "Models alone *", r"95 \% intervals", "a model")
    )
    client = APIClient()
    client.force_authenticate(User.objects.get())
    told = client.get(f"/api/v1/batches/{batch.pk}/figures/", {"baseline": "LSA"}).json()
    assert told["rows"] == rows
    assert run_json("batch", "figures", batch.name, "--baseline", "LSA")["rows"] == rows
    wrong = client.get(f"/api/v1/batches/{batch.pk}/figures/", {"baseline": "T5"})
    assert wrong.status_code == 422
    assert admin_client.get(address, {"layout": "xls"}).status_code == 400


def test_the_page_of_agreement_has_them_where_the_queries_were_drawn(
    pool: Pool, admin_client: Client
) -> None:
    batch = labelled(draw(pool, size=30).pool)
    page = admin_client.get(reverse("batch-agreement", args=[batch.pk]))
    assert page.context["corrected"]["found"].n_labelled == 30
    assert "Corrected figures of the whole pool" in page.content.decode()
    whole = admin_client.get(reverse("batch-agreement", args=[labelled(pool, "whole").pk]))
    assert whole.context["corrected"] is None
    assert "Corrected figures of the whole pool" not in whole.content.decode()


def test_a_model_is_chosen_by_name(pool: Pool) -> None:
    batch = labelled(draw(pool, size=30).pool)
    rated(pool.belongs.study, "another")
    found = corrected_figures(batch=batch, parameters=FigureParameters(model="another"))
    assert found.models == ("another",)
    with pytest.raises(TermError, match="a model"):
        figures(batch, model="third")


def test_further_labels_are_planned_by_width_and_drawn(pool: Pool, admin_client: Client) -> None:
    batch = labelled(draw(pool, size=30).pool)
    parameters = FigureParameters(half_width=0.05)
    found = corrected_figures(batch=batch, parameters=parameters)
    more = more_labels(batch=batch, figures=found)
    assert more is not None
    assert [one.labels for one in more.curve] == [30, 45, 60]
    mean = next(one for one in found.figures if one.kind == "mean").corrected
    assert mean is not None
    t = student(0.95, 30, is_tuned=mean.weight > 0)
    assert more.curve[0].half_widths[1] == pytest.approx(t * mean.standard_error)
    assert set(more.curve[-1].half_widths) == {0}
    needed = more.needed[1]
    enough = labels_needed(mean, 0.05, 60)
    assert enough is not None
    assert needed.labels == max(30, enough)
    hit = batch.hits.first()
    assert hit is not None
    price = hit.unit_cost * batch.assignments_per_hit / batch.queries_per_hit
    assert needed.cost == pytest.approx(price * needed.further)
    page = admin_client.get(reverse("batch-figures", args=[batch.pk]), {"half_width": "0.05"})
    assert f'name="size" min="1" required value="{more.to_draw}"' in page.content.decode()
    whole = figures_of(batch, target="population")
    assert more_labels(batch=batch, figures=whole) is None


def figures_of(batch: Batch, **parameters: Any) -> CorrectedFigures:
    return corrected_figures(batch=batch, parameters=FigureParameters(**parameters))


def test_whether_a_model_may_stand_in_is_said_by_every_interface(admin_client: Client) -> None:
    batch = stored_study(40)
    for category, name in (("n", "says n"), ("o", "says o")):
        rater = ModelRater.objects.create(study=batch.study, name=name, origin="imported")
        ModelLabel.objects.bulk_create(
            ModelLabel(rater=rater, qid=query.qid, category=category)
            for query in batch.queries.all()
        )
    good, poor = stand_in_tests(batch=batch, parameters=StandInParameters(epsilon=0.2))
    assert good.test is not None
    assert poor.test is not None
    assert len(good.test.tests) == 3
    assert good.test.advantage > poor.test.advantage
    told = run_json("batch", "stand-in", batch.name, "--epsilon", "0.2")
    assert [row["sentence"] for row in told["models"]] == [good.sentence, poor.sentence]
    client = APIClient()
    client.force_authenticate(User.objects.get(username="admin"))
    address = f"/api/v1/batches/{batch.pk}/stand-in/"
    assert client.get(address, {"epsilon": 0.2}).json() == told
    few = client.get(address, {"least_items": 1000}).json()["models"]
    assert all(row["may_stand_in"] is None and "1000" in row["why_not"] for row in few)
    page = admin_client.get(reverse("batch-figures", args=[batch.pk])).content.decode()
    assert NOT_VALIDITY in html.unescape(page)


@pytest.mark.long
def test_drawing_ends_once_the_intervals_are_as_narrow_as_was_wanted(
    pool: Pool, admin_client: Client
) -> None:
    first = draw(pool, size=24, half_width=0.14, width_of="share")
    waiting = stopping_of(first)
    assert waiting is not None
    assert (waiting.is_met, waiting.further) == (False, None)
    batch = labelled(first.pool, "first")
    state = stopping_of(first)
    assert state is not None
    assert state.half_width is not None
    assert state.further is not None
    assert state.half_width > 0.14
    page = admin_client.get(reverse("batch-figures", args=[batch.pk])).content.decode()
    assert f'name="size" min="1" required value="{state.further}"' in page
    assert state.sentence in html.unescape(page)
    printed = run_json("batch", "figures", "first")
    assert printed["stopping"]["further"] == state.further
    sent = {"pool": first.pool.name, "size": state.further}
    admin_client.post(reverse("study-draw-sample", args=[pool.belongs.study_id]), sent)
    second = DrawnSample.objects.get(continues=first)
    assert (second.half_width, second.width_of) == (0.14, "share")
    labelled(second.pool, "second")
    met = stopping_of(second)
    assert met is not None
    assert (met.is_met, met.further) == (True, 0)
    with pytest.raises(TermError, match="is met"):
        draw(second.pool, size=10)
    shown = admin_client.get(reverse("pool-detail", args=[second.pool_id])).content.decode()
    assert "Narrow enough." in shown
    assert "Draw them" not in shown
    assert draw(second.pool, size=10, half_width=0.01, width_of="mean").half_width == 0.01


def test_without_a_wanted_width_nothing_stops(pool: Pool) -> None:
    sample = draw(pool, size=50)
    labelled(sample.pool)
    assert stopping_of(sample) is None
    assert draw(sample.pool, size=10).half_width is None


@pytest.mark.parametrize("half_width", [None, 0.14])
def test_only_intervals_that_hold_at_every_look_are_waited_for(
    pool: Pool, admin_client: Client, half_width: float | None
) -> None:
    wanted = {"half_width": half_width, "width_of": "share"} if half_width else {}
    batch = labelled(draw(pool, size=24, **wanted).pool)
    page = admin_client.get(reverse("batch-figures", args=[batch.pk])).content.decode()
    assert ("Stop when an interval is narrow enough" in page) == (half_width is not None)
    assert ("hold for one look" in page) == (half_width is None)


def test_labels_that_rest_on_one_person_are_counted(pool: Pool) -> None:
    batch = with_votes(labelled(draw(pool, size=30).pool), ["nnf", "ffn"])
    Vote.objects.exclude(worker__worker_id="A0").delete()
    found = corrected_figures(batch=batch, parameters=FigureParameters())
    assert any("30 of 30 drawn queries were labelled by one person" in note for note in found.notes)
