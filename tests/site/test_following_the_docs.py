"""Every command of the documentation is typed as a reader would, and every block of Python runs.

README is followed in `test_demo.py`, the pages of the library in `tests/package`. What nobody has
here (weights, a collection, Amazon, a cluster) is marked in the source of its page, and parsed in
`test_commands_of_docs.py`.
"""

import contextlib
import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.package.pages import blocks
from tests.package.test_documents import FOLLOWED as FOLLOWED_ALONE
from tests.people import account, answer_all, answer_by_panel, in_shell
from tests.project import ROOT, Project, new_project
from tests.site.following import Reader

pytestmark = [pytest.mark.long, pytest.mark.timed]
Read = Callable[[str], Reader]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What other pages made of the sample: BM25.run, and magnitudes.parquet."""
    folder = tmp_path_factory.mktemp("made")
    project, sample = Project(folder / "data", 0, folder), ROOT / "sample"
    collection, queries = sample / "collection.tsv", sample / "queries.tsv"
    project.fairpool(
        "rank", "--collection", collection, "--queries", queries, "--output", ".",
        "--rankers", "BM25",
    )  # fmt: skip
    project.fairpool("score", collection, "--output", "magnitudes.parquet")
    return folder


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """A reader of a page, with an installation of their own, in a folder with what a checkout has.

    Those are the sample and manage.py; all else a page makes itself, or the test does as its reader
    would.
    """

    def read(page: str) -> Reader:
        folder = tmp_path / "here"
        folder.mkdir()
        for name in ("sample", "manage.py"):
            (folder / name).symlink_to(ROOT / name)
        (folder / ".curlrc").write_text("fail-with-body\nsilent\nshow-error\n")
        return Reader(page, new_project(tmp_path / "data", folder))

    return read


def pool(project: Project, made: Path, name: str, cutoff: int = 4, study: str = "") -> None:
    project.run(
        "pool", "build", "--name", name, "--scores", made / "magnitudes.parquet",
        "--queries", "sample/queries.tsv", "--run", f"BM25={made / 'BM25.run'}",
        "--cutoff", str(cutoff), "--output", f"{name}.csv", *(["--study", study] if study else []),
    )  # fmt: skip


def table(path: Path, rows: list[dict[str, str]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_no_page_is_forgotten() -> None:
    followed = Path(__file__).read_text(encoding="utf-8")
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    typed = {
        str(page.relative_to(ROOT))
        for page in pages
        if any(block.is_shell and not block.only_parsed for block in blocks(page))
    }

    assert typed
    elsewhere = {"README.md", *FOLLOWED_ALONE}
    assert {one for one in typed - elsewhere if f'read("{one}")' not in followed} == set()


def test_contributing(read: Read) -> None:
    reader = read("CONTRIBUTING.md")
    reader.follow()
    assert reader.is_finished


def test_the_rankers_of_the_sample(read: Read) -> None:
    reader = read("docs/sample.md")
    assert "\nnDCG@10\t" in reader.follow()
    assert reader.is_finished


def test_neural_rankers(read: Read) -> None:
    reader = read("docs/rankers.md")
    reader.follow()
    assert reader.is_finished
    assert (reader.project.folder / "fair.run").stat().st_size > 0


def test_the_measures(read: Read) -> None:
    reader = read("docs/metrics.md")
    reader.follow()
    assert reader.is_finished
    assert (reader.project.folder / "counterfactual" / "most-changed.html").is_file()


def test_agreement(read: Read) -> None:
    reader = read("docs/agreement.md")
    # The second worker says something else on every tenth item.
    votes = [
        {"item": f"q{number}", "worker": worker, "label": "nfm"[number % 3]}
        for number in range(40)
        for worker in ("A1", "A2", "A3")
    ]
    for vote in votes[1::30]:
        vote["label"] = "o"
    table(reader.project.folder / "votes.csv", votes)
    reader.follow(2)
    assert (reader.project.folder / "labels.csv").is_file()
    assert reader.is_finished


def test_files(read: Read) -> None:
    reader = read("docs/data.md")
    folder = reader.project.folder
    workers = ["A1", "A2", "A3"]
    table(
        folder / "votes.csv",
        [
            {"task": f"q{number}", "worker": worker, "label": str(number)}
            for number in range(4)
            for worker in workers
        ],
    )
    row = {"HITId": "H1", "AssignmentStatus": "Approved"}
    gold = {"Answer.pos_qual_ctrl_1": "Yes", "Answer.neg_qual_ctrl": "No"}
    asked = {f"Input.adj_{place}": word for place, word in enumerate(("kind", "tall"), start=1)}
    answers = {"Answer.adj_1": "Yes", "Answer.adj_2": "Naa"}
    signed = [
        row | {"AssignmentId": f"S{worker}", "WorkerId": worker, "WorkTimeInSeconds": "60"}
        for worker in workers
    ]
    table(folder / "Batch_350_results.csv", [one | asked | answers | gold for one in signed])
    places = {"Input.qid_1": "1001", "Input.query_1": "why", "Input.gold_1": ""}
    table(folder / "results.csv", [one | places | {"Answer.label_1": "n"} for one in signed])

    reader.follow(3)

    assert reader.is_finished
    for batch, queries in {"dogs": 4, "adjectives": 2, "again": 1}.items():
        assert reader.project.json("batch", "agreement", batch)["n_queries"] == queries


def test_personal_data(read: Read, made: Path) -> None:
    reader = read("docs/security.md")
    project = reader.project
    pool(project, made, "POOL")
    project.run("batch", "create", "--name", "B", "--pool", "POOL")
    with project.site():
        project.run("batch", "publish", "B", "--yes")
        project.run("batch", "simulate", "B", "--truth", "sample/truth.csv", "--seed", "1")
        project.run("batch", "collect", "B", "--approve")
    worker = project.json("worker", "quality", "B")["workers"][0]["worker"]
    votes = [{"query_id": "1001", "worker": "A1B2C3D4E5F6G7", "label": "n"}]
    table(project.folder / "votes.csv", votes)
    project.run("label", "import-votes", "votes.csv", "--name", "imported")

    # Simulated workers have no personal data at the platform, and imported ones none at the crowd.
    reader.follow(names={"crowd erase A1B2C3D4E5F6G7": f"crowd erase {worker}"})

    assert reader.is_finished


def test_the_crowd_service(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = read("docs/mturk-local.md")
    project = reader.project
    with project.site() as site:
        pair = json.loads(project.run("crowd", "key", "--json").stdout)
        assert "10000.00" in reader.follow()
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", pair["access_key_id"])
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", pair["secret_access_key"])
        monkeypatch.setenv("AWS_ENDPOINT_URL_MTURK", pair["endpoint"])
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        [(code, shown)] = python_of("docs/mturk-local.md", site)
        assert run_block(code, {}) == shown
    assert reader.is_finished


def test_the_runbook(read: Read, made: Path) -> None:
    reader = read("docs/runbook.md")
    project, folder = reader.project, reader.project.folder
    pool(project, made, "POOL")
    few_queries(folder)
    (folder / "TRUTH.csv").symlink_to(ROOT / "sample" / "truth.csv")
    (folder / "CONSENT.txt").write_text("We study queries. Your answers are published.")
    (folder / "prolific_export.csv").write_text(
        "Submission id,Participant id,Status\ns,p,APPROVED\n"
    )
    with project.site():
        # Nobody sits at a terminal here to say yes.
        reader.follow(3, {"batch publish pilot": "batch publish pilot --yes"})
        for name in ("B", "study"):
            project.run("batch", "create", "--name", name, "--queries", "FEW.tsv")
            project.run("batch", "publish", name, "--yes")
        channel = project.json("batch", "invite-by-link", "B", "--places", "1", "--days", "1")[
            "channel"
        ]
        reader.follow(names={"--channel ID": f"--channel {channel}"})
        answer_by_panel(project, "study", participant="p", submission="s")
        reader.follow()

    assert reader.is_finished
    assert project.json("batch", "show", "rehearsal")["n_votes"] > 0


def test_operating_a_site(read: Read, made: Path) -> None:
    reader = read("docs/operations.md")
    project, folder = reader.project, reader.project.folder
    few_queries(folder)
    (folder / "bm25.run").symlink_to(made / "BM25.run")
    (folder / "collection.tsv.gz").write_bytes(gzip.compress(b"d1\tHe left.\n"))
    for name in ("ada", "bob"):
        account(project, name)
    with project.site():
        project.run("batch", "create", "--name", "pilot", "--queries", "FEW.tsv")
        reader.follow()
        pool(project, made, "gender 2", study="gender")
        report = in_shell(
            project,
            "from annotation.models import Study, StudyReport; "
            "study = Study.objects.get(name='gender'); "
            "print(StudyReport.objects.create(study=study, actor='ada').pk)",
        )
        # Nobody sits at a terminal here to say yes.
        yes = {"remove gender": "remove gender --yes"}
        reader.follow(names={**yes, "--number 7": f"--number {report}"})
    reader.follow(names={"/backups/2026-11-21": str(folder / "backup")})

    assert reader.is_finished


def few_queries(folder: Path) -> None:
    (folder / "FEW.tsv").write_text("a\twhy is the sky blue\nb\twho was queen victoria\n")


def test_the_api(read: Read, made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = read("docs/api.md")
    project, folder = reader.project, reader.project.folder
    (folder / "TRUTH.csv").symlink_to(ROOT / "sample" / "truth.csv")  # for `answer_all`
    pool(project, made, "POOL", cutoff=20)  # non-gendered queries among them
    account(project, "ada")
    project.run("study", "create", "gender", "--owner", "ada")
    (folder / "bm25.run.gz").write_bytes(gzip.compress((made / "BM25.run").read_bytes()))
    monkeypatch.chdir(folder)
    with project.site() as site, ThreadPoolExecutor(1) as people:
        reader.follow()
        monkeypatch.setenv(
            "FAIRPOOL_TOKEN", project.json("account", "create-token", "ada")["token"]
        )
        answered = people.submit(answer_all, project, "first")
        namespace: dict[str, Any] = {}
        for code, _ in python_of("docs/api.md", site):
            run_block(code.replace("time.sleep(60)", "time.sleep(1)"), namespace)
        answered.result()
        reader.follow()

    assert reader.is_finished
    project.run("label", "export", "first", "--output", "by_command.csv")
    assert (folder / "nongendered.csv").read_bytes() == (folder / "by_command.csv").read_bytes()
    assert (folder / "by_command.csv").stat().st_size > 0


def python_of(page: str, site: str) -> Iterator[tuple[str, str]]:
    """The blocks of Python of a page, called at `site`, and what the page shows of their output."""
    for block in blocks(ROOT / page):
        if block.language == "python" and not block.only_parsed:
            yield block.code.replace("http://127.0.0.1:8000", site), block.output


def run_block(code: str, namespace: dict[str, Any]) -> str:
    """What a block prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, namespace)  # noqa: S102 - our own documentation
    return printed.getvalue()
