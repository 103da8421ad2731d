"""Rank the collection of a study, or re-rank one of its runs, into a new run."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.core.counting import counted
from annotation.core.operations import Advance, Operation, Result, Run, checkpoint
from annotation.core.parameters import parameter
from annotation.models import Study, StudyFile
from annotation.studies.file_store import local_path, workplace
from annotation.studies.operations.files import add_study_file, in_words_of_page
from annotation.studies.queries.rankers import model_folder
from annotation.vocabulary import LONGEST_OWN_NAME, FileKind, TaskKind
from metrics.errors import InputError
from metrics.runs import check_run_name, read_run
from metrics.runs.queries import read_query_texts
from metrics.texts.collection import read_collection, texts_of
from metrics.version import VERSION
from rankers.registry import RANKERS

_MEGABYTE = 1_000_000


@dataclass(frozen=True, kw_only=True)
class RankParameters:
    ranker: str = parameter(
        max_length=LONGEST_OWN_NAME,
        label="Ranker",
        help_text="A lexical ranker ranks the collection; a model re-ranks one of the runs.",
    )
    run: str = parameter(
        "",
        max_length=LONGEST_OWN_NAME,
        allow_blank=True,
        label="Run to re-rank",
        help_text="For a model only.",
    )
    depth: int = parameter(100, min_value=1, max_value=1_000, label="Documents of each query")
    name: str = parameter(
        "",
        max_length=LONGEST_OWN_NAME,
        allow_blank=True,
        label="Name of the run",
        help_text="Empty: that of the ranker.",
    )


class Rank(Operation[Study, RankParameters]):
    """Rank the study's queries in the background; the run becomes a file of the study."""

    name = "rank"
    path = "rank"
    example = {"ranker": "BM25"}
    title = "Rank the queries"
    button = "Make the run"
    queued = "Ranking. Progress updates live."
    subject = Study
    parameters = RankParameters
    job = TaskKind.RANK
    unit = "queries"

    def clean(self, subject: Study, parameters: RankParameters) -> RankParameters:
        named = replace(parameters, name=check_run_name(parameters.name or parameters.ranker))
        material = _material(subject, named)
        other = subject.files.filter(kind=FileKind.RUN, name__iexact=named.name).first()
        if other is not None and other.summary.get("ranked", {}).get("key") != material.key:
            raise InputError(
                f"the study already has a run named {named.name!r}.",
                remedy="Give another name, or remove that run first.",
            )
        return named

    def units(self, subject: Study, parameters: RankParameters) -> int | None:
        queries = subject.files.filter(kind=FileKind.QUERIES).first()
        return queries.summary["n_queries"] if queries else None

    def run(self, subject: Study, parameters: RankParameters, run: Run) -> Result:
        material = _material(subject, parameters)
        file = subject.files.filter(kind=FileKind.RUN, name=parameters.name).first()
        # If a worker was killed after its run was stored, nothing is left to do.
        if file is None:
            file = _ranked(subject, parameters, material, run)
        values = {"run": file.name, "lines": file.summary["lines"]}
        remark = file.summary["ranked"].get("remark", "")
        return Result(values, f"{file.name}: {counted(values['lines'], 'line')}. {remark}".strip())


RANK = Rank()


@dataclass(frozen=True)
class _Material:
    """Inputs of a ranking; `model` and `run` are None for a lexical ranker."""

    collection: tuple[StudyFile, ...]
    queries: StudyFile
    run: StudyFile | None
    model: Path | None
    key: str

    @property
    def files(self) -> tuple[StudyFile, ...]:
        return (*self.collection, self.queries, *([self.run] if self.run else []))


def _material(study: Study, parameters: RankParameters) -> _Material:
    """The files that the ranking needs; `InputError` says what is missing."""
    files = list(study.files.all())
    collection = tuple(file for file in files if file.kind == FileKind.COLLECTION)
    queries = next((file for file in files if file.kind == FileKind.QUERIES), None)
    for what, files_of_kind in (("collection", collection), ("queries", queries)):
        if not files_of_kind:
            raise InputError(f"the study has no {what}.", remedy="Add the file first.")
    assert queries is not None  # noqa: S101 - tells its type
    is_lexical = parameters.ranker in RANKERS
    model = None if is_lexical else model_folder(parameters.ranker)
    run = _run_to_rerank(files, parameters.run) if model else None
    if is_lexical:
        _check_size(collection)
    made_from = [file.digest for file in (*collection, queries, *([run] if run else []))]
    terms = "\n".join([VERSION, parameters.ranker, str(parameters.depth), *made_from])
    return _Material(collection, queries, run, model, hashlib.sha256(terms.encode()).hexdigest())


def _run_to_rerank(files: list[StudyFile], name: str) -> StudyFile:
    runs = {file.name: file for file in files if file.kind == FileKind.RUN}
    if name not in runs:
        raise InputError(
            f"the study has no run named {name!r}." if name else "a model re-ranks a run.",
            remedy=f"Choose a run of the study: {', '.join(runs) or 'make one with BM25 first'}.",
        )
    return runs[name]


def _check_size(collection: tuple[StudyFile, ...]) -> None:
    """Lexical rankers hold the collection in the memory of the site's machine."""
    size = sum(file.summary["unpacked"] for file in collection)
    if size > settings.RANKING_LIMIT_MB * _MEGABYTE:
        raise InputError(
            f"the collection has more than {settings.RANKING_LIMIT_MB:,} MB.",
            remedy="Rank it on a machine with enough memory, and add the run to the files.",
        )


def _ranked(study: Study, parameters: RankParameters, material: _Material, run: Run) -> StudyFile:
    paths = {file: local_path(file) for file in material.files}
    with workplace() as folder:
        make = _lexical if material.model is None else _reranked
        try:
            path, more = make(parameters, material, paths, folder, run.advance)
        except InputError as error:
            raise in_words_of_page(error, paths) from None
        made_from = {
            "key": material.key,
            "ranker": parameters.ranker,
            "depth": parameters.depth,
            "fairpool": VERSION,
            "files": [file.digest for file in material.files],
            **more,
        }
        with path.open("rb") as stream:
            return add_study_file(
                study=study,
                kind=FileKind.RUN,
                stream=stream,
                filename=path.name,
                name=parameters.name,
                actor=run.actor.name,
                ranked=made_from,
                advance=run.advance,
            )


def _lexical(
    parameters: RankParameters,
    material: _Material,
    paths: dict[StudyFile, Path],
    folder: Path,
    advance: Advance,
) -> tuple[Path, dict[str, Any]]:
    # Imported here, as it takes seconds that no page should wait for.
    from rankers.runs import write_runs  # noqa: PLC0415

    collection = chain.from_iterable(read_collection(paths[part]) for part in material.collection)
    texts = list(read_query_texts(paths[material.queries]).items())
    ranker = RANKERS[parameters.ranker]
    made = write_runs(
        [ranker],
        list(_watched(collection, advance)),
        texts,
        folder,
        depth=parameters.depth,
        progress=lambda: advance(1),
    )
    return made[ranker.name], {"citation": ranker.citation}


def _reranked(
    parameters: RankParameters,
    material: _Material,
    paths: dict[StudyFile, Path],
    folder: Path,
    advance: Advance,
) -> tuple[Path, dict[str, Any]]:
    from rankers.neural.device import choose_device  # noqa: PLC0415
    from rankers.neural.model_folder import load_model, sizes_of  # noqa: PLC0415
    from rankers.neural.pretrained import model_hash  # noqa: PLC0415
    from rankers.neural.reranking import rerank, write_run  # noqa: PLC0415

    assert material.run is not None and material.model is not None  # noqa: S101, PT018 - their types
    model = load_model(str(material.model), choose_device("auto"))
    queries = read_query_texts(paths[material.queries])
    run = read_run(paths[material.run], queries=set(queries), depth=parameters.depth)
    passages = chain.from_iterable(read_collection(paths[part]) for part in material.collection)
    texts, remark = texts_of(run.docnos.tolist(), _watched(passages, advance))
    rankings = rerank(
        model,
        run,
        queries,
        texts,
        progress=lambda _pairs: checkpoint(advance),
    )
    path = folder / f"{parameters.name}.run"
    sizes = sizes_of(model, str(material.model))
    write_run(_counted(rankings, advance), path, name=parameters.ranker, sizes=sizes)
    return path, {
        "run": material.run.name,
        **({"remark": remark} if remark else {}),
        "model_sha256": model_hash(str(material.model)),
        **sizes,
    }


def _counted(rankings: Iterator[Any], advance: Advance) -> Iterator[Any]:
    """Yield the rankings, and count each as progress."""
    for ranking in rankings:
        advance(1)
        yield ranking


def _watched(passages: Iterator[tuple[str, str]], advance: Advance) -> Iterator[tuple[str, str]]:
    """Yield the passages, so that cancelling need not wait for all of them."""
    for number, passage in enumerate(passages):
        if number % 10_000 == 0:
            checkpoint(advance)
        yield passage
