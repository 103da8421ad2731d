"""Coverage and width of intervals from few judgments of people and many of a model.

`python -m measurements.few_judgments` prints the tables of results/few_judgments.md: pools of 1,000
queries that are drawn from TREC DL 2019's with SPLADE and BM25 on them, judged by made-up models
that err as a real one did in TREC RAG 2025, as each of its topics has it, or in ways that are worst
for the method. `--draws 200` is for a look. People's judgments are those of DL 2019; of passages
whose gender people did not label, the 163 words stand in for them.
"""

import argparse
import csv
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from metrics.measures import get
from metrics.reports.plots.figures import Points, line_figure, render
from metrics.results.evaluation import requests_of
from metrics.results.measuring import measure_runs
from metrics.results.population import Population
from metrics.runs import Run, read_run
from metrics.runs.qrels import read_qrels
from metrics.statistics.differences import FAR, LONG_TAIL, MOST_WIDER, SKEWED, UNSEEN
from metrics.statistics.figure import Target
from metrics.statistics.significance import MIN_QUERIES
from metrics.texts.collection import read_collection
from metrics.texts.lexicon import read_lexicon
from metrics.texts.scan.texts import score_texts

SHARED = Path(__file__).resolve().parent.parent.parent / "shared" / "data"
#: By the names of their files.
SYSTEMS = {"SPLADE": "SPLADE_P_P_ENSEMBLE_DISTIL", "BM25": "BM25"}
MEASURES = ("nDCG@10", "MRR(relevant=2)@10", "P(relevant=2)@10", "LabelRaB@10")
SIZES = (20, 30, 50, 100, 200)
M = 1_000
#: So many pools; each has its share of the draws.
POOLS = 5
_DEPTH = 10
_BEST = 3
Array = npt.NDArray[np.float64]
Grades = Mapping[str, Mapping[str, int]]

#: People's grade (rows) and the model's (columns), 0 to 3, of a judge that overrates.
OVERRATES = (
    (0.70, 0.18, 0.09, 0.03),
    (0.30, 0.35, 0.25, 0.10),
    (0.10, 0.25, 0.40, 0.25),
    (0.05, 0.12, 0.33, 0.50),
)
#: The same counted in TREC RAG 2025, all 22 topics, grades 0 to 4.
RAG25 = (
    (1690, 1074, 681, 150, 24),
    (348, 446, 566, 113, 26),
    (405, 735, 1971, 547, 102),
    (80, 136, 554, 411, 137),
    (1, 8, 18, 42, 19),
)


def four_grades(counts: npt.ArrayLike) -> Array:
    """Counts of grades 0 to 4 with 4 counted as 3."""
    five = np.asarray(counts, float)
    four = five[:, :4].copy()
    four[:, _BEST] += five[:, 4]
    four[_BEST] += four[4]
    return four[:4]


def judges(path: Path) -> dict[str, Array]:
    """Chances of the model's grade by people's, of each judge; a missing row is the pooled one."""
    pooled = four_grades(RAG25)
    counts: dict[str, Array] = {}
    with path.open() as rows:
        for row in csv.DictReader(rows):
            of_topic = counts.setdefault(row["topic"], np.zeros((5, 5)))
            of_topic[int(row["human"]), int(row["llm"])] += 1
    made_up = {
        "overrates": np.array(OVERRATES),
        "constant": np.array([[0.0, 0, 0, 1]] * 4),
        "reversed": np.eye(4)[::-1],
    }
    real = {"RAG 2025": pooled}
    for topic in sorted(counts, key=int):
        own = four_grades(counts[topic])
        own[own.sum(axis=1) == 0] = pooled[own.sum(axis=1) == 0]
        real[f"RAG 2025, topic {topic}"] = own
    return {
        name: counted / counted.sum(axis=1, keepdims=True)
        for name, counted in (made_up | real).items()
    }


class Values(NamedTuple):
    """Of one pool (M,) by measure, then figure of SPLADE and its difference to BM25."""

    people: dict[tuple[str, str], Array]
    model: dict[tuple[str, str], Array]


class Source:
    """TREC DL 2019: two systems' first ten documents, people's grades, and sides of passages."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        #: What people's judgments of a pool come to, by its seed.
        self._of_people: dict[int, dict[tuple[str, str], Array]] = {}
        self.qrels = read_qrels(folder / "qrels.txt")
        runs = [read_run(folder / "runs" / f"{file}.run", name) for name, file in SYSTEMS.items()]
        self.ranked = {
            run.name: {qid: run.documents(qid)[:_DEPTH] for qid in self.qrels} for run in runs
        }

    @cached_property
    def leans(self) -> dict[str, int]:
        """By passage of the first ten: which of the 163 words it has, men's or women's."""
        docnos = {d for of_run in self.ranked.values() for docs in of_run.values() for d in docs}
        texts = {
            docno: text
            for docno, text in read_collection(self.folder / "collection.tsv")
            if docno in docnos
        }
        scores = score_texts(
            list(texts.values()), read_lexicon("rekabsaz_kopeinik_schedl_2021"), "whitespace"
        )
        sides = (scores.tc["m"] > 0).astype(int) - (scores.tc["f"] > 0)
        return dict(zip(texts, sides.tolist(), strict=True))

    def values(self, chances: Array, seed: int) -> Values:
        """A pool of 1,000 queries, drawn again and again, judged by people and by the model."""
        runs, people, model = self._judged(chances, seed)
        if seed not in self._of_people:
            self._of_people[seed] = self._measured(runs, *people)
        return Values(self._of_people[seed], self._measured(runs, *model))

    def pairs(self, chances: Array, seed: int) -> dict[tuple[str, str], tuple[Array, Array]]:
        """Return what each pair adds to a measure, by people and by the model, of the same pool."""
        runs, people, model = self._judged(chances, seed)
        gains_of = {}
        for name in ("P(relevant=2)@10", "DCG@10", "LabelRaB@10"):
            measure = get(name)
            linear = measure.definition.linear
            if linear is None:
                continue
            weights: dict[tuple[str, str], list[float]] = {}
            for place, run in enumerate(runs):
                for qid in run:
                    documents = run.documents(qid)
                    of_ranks = linear.weights(len(documents), _DEPTH).tolist()
                    for docno, weight in zip(documents, of_ranks, strict=True):
                        weights.setdefault((qid, docno), [0.0, 0.0])[place] = weight
            gains = [
                np.array(
                    [linear.gain(of_kind[qid][docno], **measure.params) for qid, docno in weights]
                )
                for of_kind in (
                    judgments[measure.name == "LabelRaB"] for judgments in (people, model)
                )
            ]
            first, second = np.transpose(list(weights.values()))
            for figure, by in (("figure", first), ("difference", first - second)):
                kept = by != 0
                z, f = ((by * gain)[kept] for gain in gains)
                gains_of[name, figure] = z, f
        return gains_of

    def _judged(
        self, chances: Array, seed: int
    ) -> tuple[list[Run], tuple[Grades, Grades], tuple[Grades, Grades]]:
        """Runs, then grades and sides of passages by people, and by the model."""
        random = np.random.default_rng(seed)
        originals = random.choice(sorted(self.qrels), M)
        names = [f"{qid}-{place}" for place, qid in enumerate(originals)]
        runs = [
            Run.from_dict(
                {name: of_run[qid] for name, qid in zip(names, originals, strict=True)}, system
            )
            for system, of_run in self.ranked.items()
        ]
        grades, model_grades, sides, model_sides = {}, {}, {}, {}
        # A model that gives people's grade so often takes a passage for the right side so often.
        right = float(np.diag(chances).mean())
        cumulated = chances.cumsum(axis=1)
        for name, qid in zip(names, originals, strict=True):
            docnos = sorted({d for of_run in self.ranked.values() for d in of_run[qid]})
            known = self.qrels[qid] | {d: 0 for d in docnos if d not in self.qrels[qid]}
            grades[name] = known
            drawn = random.random(len(known))
            drawn = (drawn[:, None] > cumulated[list(known.values()), :_BEST]).sum(axis=1)
            model_grades[name] = dict(zip(known, drawn.tolist(), strict=True))
            sides[name] = {d: self.leans[d] for d in docnos}
            is_right = random.random(len(docnos)) < right
            others = random.integers(-1, 2, len(docnos))
            model_sides[name] = {
                d: self.leans[d] if ok else int(other)
                for d, ok, other in zip(docnos, is_right, others, strict=True)
            }
        return runs, (grades, sides), (model_grades, model_sides)

    def _measured(
        self,
        runs: list[Run],
        grades: Grades,
        sides: Grades,
    ) -> dict[tuple[str, str], Array]:
        results = measure_runs(
            runs,
            None,
            requests_of(MEASURES),
            chosen=Population("judged", tuple(sorted(grades))),
            qrels=grades,
            passages=sides,
        )
        by_run = {(result.run, result.measure): result.per_query.value for result in results}
        values = {}
        for name in MEASURES:
            label = get(name).definition(**get(name).given)
            first, second = (by_run[system, str(label)] for system in SYSTEMS)
            values[name, "figure"] = first
            values[name, "difference"] = first - second
        return values


class Cell(NamedTuple):
    """Of many draws: how often an interval is given and holds, widths beside people's, and worth.

    `width` and `widest`: of the interval as a share of that of people alone, its mean and the most.
    `worth`: how many judgments of people alone one is worth, by how much the estimates vary.
    """

    share_given: float
    coverage: float
    of_people: float
    people_width: float
    width: float
    widest: float
    worth: float


class Drawn(NamedTuple):
    """Many samples of one pool, (draws, strata, units): a simple one has one stratum.

    `rows`: the places of units; `weights`: the share of the pool that each stands for, 0 where a
    sample has fewer units than there are places. `factors`: of a unit in the variance of a mean.
    """

    rows: npt.NDArray[np.int64]
    weights: Array
    factors: Array


#: Draw so many samples of about so many units: people's and the model's numbers, n, draws.
Design = Callable[[np.random.Generator, Array, Array, int, int], Drawn]


def of_strata(
    random: np.random.Generator, parts: Sequence[npt.NDArray[np.int64]], n: int, draws: int
) -> Drawn:
    """Draw as many of each part, without replacement."""
    each = n // len(parts)
    pool = sum(map(len, parts))
    rows = np.stack(
        [
            part[random.random((draws, len(part))).argpartition(each - 1)[:, :each]]
            for part in parts
        ],
        axis=1,
    )
    shares = np.array([len(part) / pool for part in parts])[None, :, None]
    left_out = np.array([1 - each / len(part) for part in parts])[None, :, None]
    whole = np.ones(rows.shape)
    return Drawn(rows, whole * shares / each, whole * shares**2 * left_out / each / (each - 1))


def simple(random: np.random.Generator, z: Array, _f: Array, n: int, draws: int) -> Drawn:
    """All queries with the same chance."""
    return of_strata(random, [np.arange(z.shape[-1])], n, draws)


def stratified(random: np.random.Generator, _z: Array, f: Array, n: int, draws: int) -> Drawn:
    """Draw as many queries from each third by the model's number."""
    strata = thirds(f)
    return of_strata(random, [np.flatnonzero(strata == part) for part in range(3)], n, draws)


def thirds(f: Array) -> npt.NDArray[np.int64]:
    """The third of each query by the model's number."""
    places: npt.NDArray[np.int64] = np.argsort(np.argsort(f, kind="stable"), kind="stable")
    return places * 3 // len(f)


def by_chances(random: np.random.Generator, chances: Array, draws: int) -> Drawn:
    """Draw units one by one."""
    is_drawn = random.random((draws, len(chances))) < chances
    n = is_drawn.sum(axis=1, keepdims=True)
    there = np.arange(n.max()) < n
    rows = np.zeros(there.shape, np.int64)
    rows[there] = np.nonzero(is_drawn)[1]
    inverse = there / chances[rows]
    weights = inverse / inverse.sum(axis=1, keepdims=True)
    factors = (1 - chances[rows]) * n / (n - 1) * weights**2
    return Drawn(*(array[:, None, :] for array in (rows, weights, factors)))


def unequal(random: np.random.Generator, _z: Array, f: Array, n: int, draws: int) -> Drawn:
    """About n queries, one by one: half of the chance is alike, half grows with the model's."""
    return by_chances(random, growing_chances(f, n), draws)


def growing_chances(f: Array, n: int) -> Array:
    """The chances of `unequal`."""
    far = np.abs(f - f.mean()) + 1e-9
    chances: Array = np.clip(n * (0.5 / len(f) + 0.5 * far / far.sum()), 0, 1)
    return chances


def of_pairs(random: np.random.Generator, z: Array, _f: Array, n: int, draws: int) -> Drawn:
    """About 10 n pairs, one by one, by chances that lie up to three times apart."""
    chances = np.clip(10 * n / len(z) * (0.5 + np.arange(len(z)) % 11 / 10), 0, 1)
    return by_chances(random, chances, draws)


DESIGNS: dict[str, Design] = {"strata": stratified, "unequal chances": unequal}


def cell(
    pools: Sequence[tuple[Array, Array]], n: int, draws: int, seed: int, design: Design = simple
) -> Cell:
    """Of samples that are drawn from each pool in turn; `estimates` gives what `mean` gives."""
    held, widths, errors = [], [], []
    samples = _samples(design, pools, n, draws // len(pools), seed)
    for (z, f), drawn in zip(pools, samples, strict=True):
        values, halves = estimates(z, f, drawn)
        held.append((np.abs(values - z.mean()) <= halves + 1e-12).astype(float))
        widths.append(2 * halves)
        errors.append(values - z.mean())
    return _cell(np.concatenate(held), np.concatenate(widths), np.concatenate(errors))


def _samples(
    design: Design, pools: Sequence[tuple[Array, Array]], n: int, draws: int, seed: int
) -> Iterable[Drawn]:
    """So many samples of each pool; simple ones are the same whatever people and models say."""
    if design is simple:
        return _simple_samples(len(pools[0][0]), len(pools), n, draws, seed)
    random = np.random.default_rng([seed, n])
    return (design(random, z, f, n, draws) for z, f in pools)


@lru_cache
def _simple_samples(size: int, n_pools: int, n: int, draws: int, seed: int) -> tuple[Drawn, ...]:
    random, any_pool = np.random.default_rng([seed, n]), np.zeros(size)
    return tuple(simple(random, any_pool, any_pool, n, draws) for _ in range(n_pools))


def _cell(held: Array, widths: Array, errors: Array) -> Cell:
    """Of both figures (draws, 2), corrected and by people; NaN where an interval is withheld."""
    known = ~np.isnan(widths[:, 0])
    if not known.any():
        return Cell(0.0, *[float("nan")] * 6)
    coverage, of_people = held[known].mean(axis=0)
    variances = np.mean(np.square(errors), axis=0)
    ratios = widths[known, 0] / widths[known, 1]
    return Cell(
        float(known.mean()),
        float(coverage),
        float(of_people),
        float(widths[known, 1].mean()),
        float(ratios.mean()),
        float(ratios.max()),
        float(variances[1] / variances[0]),
    )


def estimates(
    z: Array,
    f: Array,
    drawn: Drawn,
    *,
    target: Target = "pool",
    level: float = 0.95,
    is_bounded: bool = True,
) -> tuple[Array, Array]:
    """`mean` of many samples: values and half widths, (draws, 2).

    Corrected, and by people alone; NaN where an interval is withheld. A test compares both. `z` and
    `f` are the numbers of one pool (M), or of a pool for each sample (draws, M).
    """
    weights, factors = drawn.weights, drawn.factors
    there = weights > 0
    n = there.sum(axis=(1, 2))
    pool, middle = z.shape[-1], f.mean(axis=-1)
    of_z, of_f = _drawn(z, drawn.rows), _drawn(f, drawn.rows)
    within = weights / weights.sum(axis=2, keepdims=True)

    def sums(array: Array) -> Array:
        total: Array = array.sum(axis=(1, 2))
        return total

    def centred(array: Array) -> Array:
        off: Array = array - (within * array).sum(axis=2, keepdims=True)
        return off

    def is_varied(array: Array) -> npt.NDArray[np.bool_]:
        known = np.where(there, array, array[:, :1, :1])
        varied: npt.NDArray[np.bool_] = known.max(axis=(1, 2)) - known.min(axis=(1, 2)) > 1e-12
        return varied

    spread = sums(factors * centred(of_f) ** 2)
    has_slope = is_varied(of_f) & (spread > 0)
    slope = sums(factors * centred(of_z) * centred(of_f)) / np.where(has_slope, spread, 1)
    far = np.abs(of_z - sums(weights * of_z)[:, None, None]) * there
    of_people, of_model = far.max(axis=(1, 2)), np.abs(f - middle[..., None]).max(axis=-1)
    farthest = np.maximum(of_people, of_model)
    unseen = np.maximum(1 - n / pool, 0) * sums(weights**2) / n * farthest**2

    def skewness(off: Array) -> Array:
        terms = weights * centred(off)
        squares = sums(terms**2)
        squared: Array = n * sums(terms**3) ** 2 / np.where(squares > 0, squares, 1) ** 3
        return squared

    is_open = (of_people > of_model) & (skewness(of_z) > LONG_TAIL * n) & (not is_bounded)
    is_known = (n >= MIN_QUERIES) & (farthest > 0) & ~is_open
    around = (of_z - sums(weights * of_z)[:, None, None]) ** 2
    of_pool = sums(weights * around) * n / (n - 1) / pool * (target == "population")
    values, halves = [], []
    for weight in (np.where(has_slope, np.clip(slope, 0, 1), 0), np.zeros(len(n))):
        off = of_z - weight[:, None, None] * of_f
        total = sums(factors * centred(off) ** 2)
        varies = is_varied(off) & (total > 0)
        total = np.where(varies, total, 1)
        fitted = np.where(weight > 0, (n - 1) / (n - 2), 1)
        counted = FAR[0] + (FAR[1] - FAR[0]) * weight
        grown = 1 + np.maximum(SKEWED * skewness(off) / n, counted * unseen / total)
        variance = np.where(varies, total * fitted * grown, UNSEEN * unseen)
        half = stdtrit(n - 1 - (weight > 0), (1 + level) / 2) * np.sqrt(variance + of_pool)
        values.append(weight * middle + sums(weights * off))
        halves.append(np.where(is_known, half, np.nan))
    is_wider = halves[0] > MOST_WIDER * halves[1]
    return (
        np.stack([np.where(is_wider, values[1], values[0]), values[1]], axis=1),
        np.stack([np.where(is_wider, halves[1], halves[0]), halves[1]], axis=1),
    )


def _drawn(values: Array, rows: npt.NDArray[np.int64]) -> Array:
    """The numbers of the units of each sample."""
    if values.ndim == 1:
        return values[rows]
    taken: Array = np.take_along_axis(values, rows.reshape(len(rows), -1), axis=1)
    return taken.reshape(rows.shape)


def few(source: Source, judge: Array, draws: int, seed: int) -> dict[tuple[str, str, int], Cell]:
    """Every measure, figure and number of judged queries of a simple sample, with one judge."""
    pools = [source.values(judge, seed + place) for place in range(POOLS)]
    return {
        (*key, n): cell([(pool.people[key], pool.model[key]) for pool in pools], n, draws, seed)
        for key in pools[0].people
        for n in SIZES
    }


def judges_table(source: Source, draws: int, seed: int) -> Iterator[str]:
    """A row per judge, measure and figure; of RAG 2025's topics the lowest and the highest."""
    yield "| judge | measure | figure | coverage | width | worth |"
    yield f"|{'---|' * 6}"
    known = judges(SHARED / "rag25" / "judgments.csv")
    yield from table_lines(
        {name: few(source, chances, draws, seed) for name, chances in known.items()}
    )


def table_lines(judged: Mapping[str, dict[tuple[str, str, int], Cell]]) -> Iterator[str]:
    """The rows of judges, those of topics together, and the widest interval of all samples."""
    topics = [cells for name, cells in judged.items() if "topic" in name]
    for name, cells in judged.items():
        if "topic" not in name:
            yield from _lines(name, [cells])
    if topics:
        yield from _lines(f"RAG 2025, each of {len(topics)} topics", topics)
    widest = max(
        (cell.widest, *key)
        for cells in judged.values()
        for key, cell in cells.items()
        if not np.isnan(cell.widest)
    )
    yield ""
    yield (
        f"The widest interval beside that of people alone, of all samples: {widest[0]:.3f} of it "
        f"({widest[1]}, {widest[2]}, {widest[3]} judged queries)."
    )


def _lines(name: str, judged: Sequence[dict[tuple[str, str, int], Cell]]) -> Iterator[str]:
    for measure, figure in dict.fromkeys(key[:2] for key in judged[0]):
        columns = []
        for column in ("coverage", "width", "worth"):
            texts = []
            for n in SIZES:
                values = [getattr(cells_of[measure, figure, n], column) for cells_of in judged]
                texts.append(_spread(values, 3 if column == "coverage" else 2))
            columns.append(" / ".join(texts))
        yield f"| {name} | {measure} | {figure} | {' | '.join(columns)} |"


def _spread(values: Sequence[float], decimals: int) -> str:
    low, high = min(values), max(values)
    if np.isnan(low):
        return "-"
    ends = [f"{value:.{decimals}f}" for value in dict.fromkeys((low, high))]
    return "-".join(end.removeprefix("0") for end in ends)


def designs_table(source: Source, draws: int, seed: int) -> Iterator[str]:
    """Coverage, width and worth of three designs of queries, and of judged pairs."""
    yield "| design | judge | measure | figure | coverage | width | worth |"
    yield f"|{'---|' * 7}"
    known = judges(SHARED / "rag25" / "judgments.csv")
    for judge in ("overrates", "RAG 2025"):
        seeds = range(seed, seed + POOLS)
        pools = [source.values(known[judge], of_pool) for of_pool in seeds]
        drawn = [
            (name, key, [(pool.people[key], pool.model[key]) for pool in pools], design)
            for key, (name, design) in product(pools[0].people, DESIGNS.items())
        ]
        pairs = [source.pairs(known[judge], of_pool) for of_pool in seeds]
        drawn += [("pairs", key, [of[key] for of in pairs], of_pairs) for key in pairs[0]]
        for name, key, values, design in drawn:
            cells = {(*key, n): cell(values, n, draws, seed, design) for n in SIZES}
            yield from (f"| {name} {line}" for line in _lines(judge, [cells]))


def picture(source: Source, draws: int, seed: int) -> bytes:
    """Mean widths of the figure and the difference over the number of judged queries, as SVG."""
    pictured = (30, 50, 75, 100, 150, 200, 300, 400)
    known = judges(SHARED / "rag25" / "judgments.csv")
    lines = []
    pools_of = {
        judge: [source.values(known[judge], seed + place) for place in range(POOLS)]
        for judge in ("RAG 2025", "overrates")
    }
    for figure, title in (("figure", "nDCG@10 of SPLADE"), ("difference", "SPLADE minus BM25")):
        for judge, pools in pools_of.items():
            values = [
                (pool.people["nDCG@10", figure], pool.model["nDCG@10", figure]) for pool in pools
            ]
            cells = [cell(values, n, draws, seed) for n in pictured]
            if judge == "RAG 2025":
                alone = [result.people_width for result in cells]
                lines.append(Points(title, "people alone", pictured, alone))
            widths = [result.people_width * result.width for result in cells]
            name = "with a judge as in RAG 2025" if judge == "RAG 2025" else "with a judge that "
            lines.append(Points(title, name + judge * (judge == "overrates"), pictured, widths))
    figure_ = line_figure(
        lines, x_label="judged queries of 1,000", y_label="width of the interval", zero=False
    )
    return render(figure_, "svg")


TABLES = {"judges": judges_table, "designs": designs_table}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--table", choices=TABLES, help="One table alone.")
    parser.add_argument("--picture", type=Path, help="Draw the picture of the page there instead.")
    values = parser.parse_args()
    source = Source(SHARED / "msmarco_dl19")
    if values.picture:
        values.picture.write_bytes(picture(source, values.draws, values.seed))
        return
    for name, table in TABLES.items():
        if values.table in (None, name):
            for line in table(source, values.draws, values.seed):
                sys.stdout.write(f"{line}\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
