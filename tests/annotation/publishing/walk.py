"""A study of three batches of three kinds, in which anything happens, and plain accounts of it.

The accounts are loops over rows: none of them asks a query of the product.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from django.utils import timezone

from annotation.batches.operations.adaptive_policy import BEGIN_ADAPTIVE
from annotation.batches.operations.adaptive_round import ADAPTIVE_ROUND
from annotation.batches.operations.collected_answers import StoredAnswers, store_answers
from annotation.batches.operations.create import CREATE_BATCH
from annotation.batches.operations.publish import publish_batch
from annotation.batches.operations.stop import batch_expire
from annotation.batches.operations.top_up import TOP_UP
from annotation.crowd.gateway import CrowdAssignment
from annotation.labels.operations.adjudicate import query_adjudicate
from annotation.labels.operations.decide import batch_label
from annotation.labels.operations.decide_again import decide_again
from annotation.models import (
    HIT,
    Assignment,
    Batch,
    DiscardedVotes,
    HITQuery,
    Label,
    Labelling,
    Study,
    StudyReport,
    Vote,
    Worker,
)
from annotation.workers.operations.discard_votes import votes_discard, votes_restore
from annotation.workers.operations.erasure import erase_worker
from metrics.errors import InputError
from tests.annotation.publishing.test_faults_of_collecting import xml
from tests.any_batch import SHOPS
from tests.commands import run
from tests.performing import do
from tests.study import stored_pairs, stored_pool

_MOST_VOTES = 5


class Walk:
    """The study, and what may be done in it; an act that is not possible now does nothing."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.seed, self.rng, self.folder = seed, Random(seed), folder
        #: The acts so far.
        self.done: list[str] = []
        pool = stored_pool(4, name="queries")
        self.study: Study = pool.belongs.study
        self.kinds = {
            "gender": self._publish("gender", pool.pk, "gender", 3),
            "shops": self._publish("shops", pool.pk, SHOPS, 2),
            "pairs": self._publish("pairs", stored_pairs(4, study=self.study).pk, "relevance", 3),
        }
        do(BEGIN_ADAPTIVE, self.kinds["shops"], full_share=0.0, most_votes=_MOST_VOTES)
        self.n_imported = 0
        self.handed_in: list[tuple[HIT, CrowdAssignment]] = []
        self.reports: dict[int, dict[int, dict[int, tuple[str, str]]]] = {}
        self.stale: set[int] = set()
        #: Reports whose batch had labels decided anew, perhaps as they were, or beneath a person's.
        self.decided_since: set[int] = set()
        self.all_labels: dict[int, tuple[int, set[tuple[object, ...]]]] = {}

    def _publish(self, name: str, pool: int, scheme: str, assignments: int) -> Batch:
        terms = {"name": name, "pool": pool, "scheme": scheme, "queries_per_hit": 2}
        made = do(CREATE_BATCH, self.study, assignments_per_hit=assignments, **terms).made
        publish_batch(batch_id=made.pk, actor="test")
        return Batch.objects.get(pk=made.pk)

    def step(self) -> None:
        """Do something."""
        acts: dict[Callable[[], object], int] = {
            self.answer: 12,
            self.review: 4,
            self.decide: 3,
            self.adjudicate: 3,
            self.ask_further: 3,
            self.report: 2,
            self.discard: 1,
            self.restore: 1,
            self.erase: 1,
            self.top_up: 1,
            self.stop: 1,
            self.import_votes: 1,
            self.import_labels: 1,
            self.archive: 1,
        }
        act = self.rng.choices([*acts], [*acts.values()])[0]
        self.done.append(act.__name__)
        act()
        for number, labels in self.reports.items():
            if any(labels[batch] != standing(batch) for batch in labels):
                self.stale.add(number)
        for number, (labelled, rows) in self.all_labels.items():
            if rows != all_labels(labelled):
                self.decided_since.add(number)

    def one(self) -> Batch:
        return Batch.objects.get(pk=self.rng.choice([*self.kinds.values()]).pk)

    def answer(self) -> None:
        """Somebody hands in a HIT with a free place that they have not answered."""
        batch = self.one()
        hit = self.rng.choice([*batch.hits.filter(state="published")])
        worker = f"A{self.rng.randrange(7)}"
        known = list(hit.assignments.values_list("worker__worker_id", flat=True))
        if len(known) >= hit.max_assignments or worker in known or self._has_voted(hit, worker):
            return
        question = batch.scheme.questions[0]
        options = [*question.codes[:3], *question.codes[:1], "?"]
        fields = [
            (f"q-{place}-{question.name}", self.rng.choice(options))
            for place in range(hit.places.count())
        ]
        now = timezone.now()
        crowd = CrowdAssignment(
            assignment_id=f"{batch.name}-{len(self.handed_in)}",
            worker_id=worker,
            hit_id=str(hit.hit_id),
            status=self.rng.choice(["Submitted", "Submitted", "Approved"]),
            answer="" if self.rng.random() < 0.1 else xml(("v", "2"), *fields),
            accepted_at=now,
            submitted_at=now,
        )
        self._store(hit, crowd)
        self.handed_in.append((hit, crowd))

    def _has_voted(self, hit: HIT, worker: str) -> bool:
        """Whoever has voted in the batch is kept out of its further HITs."""
        votes = Vote.objects.filter(query__batch=hit.batch, worker__worker_id=worker)
        return votes.filter(query__places__hit=hit).exists()

    def review(self) -> None:
        """Somebody approves or rejects an answer, or restores a rejected one."""
        if self.handed_in:
            place = self.rng.randrange(len(self.handed_in))
            hit, crowd = self.handed_in[place]
            status = self.rng.choice(["Approved", "Rejected"])
            changed = CrowdAssignment(**{**vars(crowd), "status": status})
            self.handed_in[place] = hit, changed
            self._store(hit, changed)

    def _store(self, hit: HIT, crowd: CrowdAssignment) -> None:
        if store_answers(hit, [crowd], StoredAnswers()):
            decide_again(batch=hit.batch, actor="test")

    def decide(self) -> None:
        with suppress(InputError):
            batch_label(batch=self.one(), actor="test")

    def adjudicate(self) -> None:
        batch = self.one()
        query = self.rng.choice([*batch.queries.filter(gold="")])
        code = self.rng.choice(batch.scheme.questions[0].codes)
        with suppress(InputError):
            query_adjudicate(batch=batch, qid=query.qid, category=code, reason="So.", by="test")

    def ask_further(self) -> None:
        with suppress(InputError):
            do(ADAPTIVE_ROUND, Batch.objects.get(pk=self.kinds["shops"].pk))

    def report(self) -> None:
        """A report is made on the labels that stand of a batch."""
        batch = self.one()
        if standing(batch.pk):
            field = "judgments" if batch.name == "pairs" else "batches"
            terms = {"runs": ["a"], "magnitudes": ["tf"], "cutoffs": [5], "scored": "m"}
            made = StudyReport.objects.create(
                study=self.study,
                parameters={**terms, "baseline": "", "batches": [], field: [batch.pk]},
                made_at=timezone.now(),
            )
            self.reports[made.pk] = {batch.pk: standing(batch.pk)}
            self.all_labels[made.pk] = batch.pk, all_labels(batch.pk)

    def _worker(self, batch: Batch) -> Worker | None:
        here = Worker.objects.filter(votes__query__batch=batch, is_erased=False).distinct()
        return self.rng.choice([*here.order_by("pk"), None])

    def discard(self) -> None:
        batch = self.one()
        if worker := self._worker(batch):
            with suppress(InputError):
                votes_discard(batch=batch, worker_id=worker.worker_id, reason="So.", actor="test")

    def restore(self) -> None:
        batch = self.one()
        if worker := self._worker(batch):
            with suppress(InputError):
                votes_restore(batch=batch, worker_id=worker.worker_id, reason="So.", actor="test")

    def erase(self) -> None:
        if worker := self._worker(self.one()):
            try:
                erase_worker(worker=worker, batches=self.study.batches.all(), actor="test")
            except InputError:  # an answer of theirs waits for its pay
                return
            self.handed_in = [row for row in self.handed_in if row[1].worker_id != worker.worker_id]

    def top_up(self) -> None:
        with suppress(InputError):
            do(TOP_UP, self.one())

    def stop(self) -> None:
        batch_expire(batch_id=self.one().pk, actor="test")

    def import_votes(self) -> None:
        file = self._file("votes", "query_id,worker,label\nx1,w1,n\nx1,w2,f\nx2,w1,n\n")
        run("label", "import-votes", file, "--name", file.stem, "--study", self.study.name)

    def import_labels(self) -> None:
        file = self._file("labels", "y1,what is y1,n\ny2,what is y2,f\n")
        run("label", "import", file, "--name", file.stem, "--study", self.study.name)

    def _file(self, what: str, content: str) -> Path:
        self.n_imported += 1
        file = self.folder / f"{what}{self.n_imported}.csv"
        file.write_text(content)
        return file

    def archive(self) -> None:
        """The batch is put out of the way, or back."""
        batch = self.one()
        archived_at = None if batch.archived_at else timezone.now()
        Batch.objects.filter(pk=batch.pk).update(archived_at=archived_at)


def all_labels(batch: int) -> set[tuple[object, ...]]:
    """Every label of the batch, by whatever method, with the time at which it was decided."""
    columns = ("query", "question", "method", "value", "decided_at")
    return set(Label.objects.filter(query__batch=batch).values_list(*columns))


def standing(batch: int) -> dict[int, tuple[str, str]]:
    """By query the value and method of the label that stands of the question of the subset."""
    question = Batch.objects.get(pk=batch).scheme.subset.question
    methods = [row.method for row in Labelling.objects.filter(batch=batch, question=question)]
    labels: dict[int, tuple[str, str]] = {}
    rows = Label.objects.filter(query__batch=batch, query__gold="", question=question)
    for label in sorted(rows, key=lambda row: row.method == "adjudicated"):
        if label.method in (*methods, "adjudicated"):
            labels[label.query_id] = label.value, label.method
    return labels


class Account:
    """A batch as its rows have it."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.votes: Counter[str] = Counter()
        self.n_answers = self.n_places = self.n_missing = self.n_to_come = 0
        self.spent = self.held = self.unused = Decimal(0)
        for hit in HIT.objects.filter(batch=batch):
            self._add_hit(hit)
        self.options: defaultdict[int, list[str]] = defaultdict(list)
        for vote in Vote.objects.filter(query__batch=batch, query__gold=""):
            self._add_vote(vote)
        self.votes = +self.votes

    def _add_hit(self, hit: HIT) -> None:
        asked = HITQuery.objects.filter(hit=hit, query__gold="").count()
        answers = list(Assignment.objects.filter(hit=hit))
        free = max(hit.max_assignments - len(answers), 0)
        is_open = hit.expires_at is not None and hit.expires_at > timezone.now()
        to_come = free if is_open or hit.state != "published" else 0
        good = [row for row in answers if not row.problem and row.state != "Rejected"]
        self.n_answers += len(answers)
        self.n_places += len(answers) + free
        self.n_to_come += to_come
        self.n_missing += max(hit.target_answers - len(good) - to_come, 0)
        self.votes["unreadable"] += asked * sum(bool(row.problem) for row in answers)
        self.votes["to_come"] += asked * to_come
        self.votes["withdrawn"] += asked * (free - to_come)
        states = Counter(row.state for row in answers)
        self.spent += hit.unit_cost * states["Approved"]
        self.held += hit.unit_cost * (states["Submitted"] + to_come)
        self.unused += hit.unit_cost * (states["Rejected"] + free - to_come)

    def _add_vote(self, vote: Vote) -> None:
        chosen = [row.option for row in vote.choices.all()]
        discarded = DiscardedVotes.objects.filter(
            batch=self.batch, worker=vote.worker, restored_at=None
        )
        if not vote.counts:
            is_rejected = vote.assignment and vote.assignment.state == "Rejected"
            self.votes["rejected" if is_rejected else "repeated"] += 1
        elif discarded.exists():
            self.votes["discarded"] += 1
        elif chosen == ["?"]:
            self.votes["cannot_tell"] += 1
        else:
            self.votes["counted"] += 1
            self.options[vote.query_id] += chosen

    @property
    def n_expected(self) -> int:
        """The votes that HITs ask for; a batch without any expects none."""
        return self.votes.total() if HIT.objects.filter(batch=self.batch).exists() else 0

    @property
    def n_ties(self) -> int:
        return sum(value == "tie" for value, _ in standing(self.batch.pk).values())

    @property
    def n_to_ask(self) -> int:
        """The queries that another round of the adaptive batch asks about."""
        if self.batch.name != "shops" or self.batch.state != "published" or self.n_to_come:
            return 0
        return sum(
            self._needs_another(self.options[query.pk]) for query in self.batch.queries.all()
        )

    def _needs_another(self, options: list[str]) -> bool:
        ranked = [n for _, n in Counter(options).most_common()]
        is_ahead = len(ranked) == 1 or (len(ranked) > 1 and ranked[0] > ranked[1])
        return len(options) < 2 or (len(options) < _MOST_VOTES and not is_ahead)

    @property
    def next(self) -> str:
        """The heading of what is to be done next; empty where nothing is."""
        question = self.batch.scheme.subset.question
        is_decided = Labelling.objects.filter(batch=self.batch, question=question).exists()
        is_out = self.batch.state == "published"
        if self.batch.archived_at:
            return ""
        if is_out and self.n_to_come:
            return "Next: people who answer"
        if self.n_to_ask:
            return "Next: another round"
        if is_decided:
            return "Next: ties" if self.n_ties else "Next: use the labels"
        if is_out and self.n_missing:
            return "Next: missing answers"
        return "Next: labels" if self.votes["counted"] else ""

    def in_words(self) -> dict[str, Any]:
        """What a failed comparison shows."""
        return {key: value for key, value in vars(self).items() if key != "options"}
