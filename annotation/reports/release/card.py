"""`README.md`: the card of the data set, as the Hugging Face hub and people read it."""

import json
from collections.abc import Mapping, Sequence

from annotation.reports.release import words
from annotation.reports.release.data import Release
from annotation.reports.release.table import DATE, REAL, TEXT, WHOLE, Table

_DTYPES = {TEXT: "string", DATE: "string", WHOLE: "int64", REAL: "float64"}
#: Upper ends of the hub's categories of size, in rows.
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
_LARGEST_SIZE = "1M<n<10M"


def card(release: Release, tables: Sequence[Table], meanings: Mapping[str, str]) -> str:
    """Return the card: front matter, by which `datasets` loads the tables, and text for people."""
    parts = ["---", *_front_matter(release, tables), "---", "", f"# {release.terms.title}"]
    sections = {
        "": words.abstract(release),
        "Load it": _loading(tables),
        "Files": "\n".join(f"- `{name}`: {what}" for name, what in sorted(meanings.items())),
        "Columns": "\n\n".join(map(_columns, tables)),
        "Who voted": f"{words.collection(release)}\n\n{words.DEMOGRAPHICS}",
        "What annotators were asked": words.protocol(release),
        "Agreement": words.agreements(release),
        "What was left out": f"{words.privacy(release)} {words.MANIPULATION}",
        "Uses and limits": f"{words.USES} {words.LIMITS} {words.BIASES}",
        "Citation": f"```bibtex\n{words.citation(release)}\n```",
    }
    for title, text in sections.items():
        parts += ["", *([f"## {title}", ""] if title else []), text]
    return "\n".join(parts) + "\n"


def _front_matter(release: Release, tables: Sequence[Table]) -> list[str]:
    """Return YAML with texts as JSON writes them."""
    n_rows = max(len(table.rows) for table in tables)
    size = next((name for end, name in _SIZES if n_rows < end), _LARGEST_SIZE)
    sources = ["crowdsourced" if "human" in release.kinds else "machine-generated"]
    lines = [
        f"license: {release.terms.license}",
        f"pretty_name: {json.dumps(release.terms.title, ensure_ascii=False)}",
        f"language: [{json.dumps(release.terms.language)}]",
        f"annotations_creators: {json.dumps(sources)}",
        "task_categories: [text-classification]",
        f"size_categories: [{json.dumps(size)}]",
        f"tags: {json.dumps([*words.KEYWORDS, 'croissant'])}",
        "configs:",
    ]
    for number, table in enumerate(tables):
        lines += [f"  - config_name: {table.name}", f"    data_files: {table.file}"]
        # A query "null" or "NA" is not a missing value.
        lines += ["    keep_default_na: false", '    na_values: [""]']
        lines += ["    default: true"] if number == 0 else []
    lines.append("dataset_info:")
    for table in tables:
        lines += [f"  - config_name: {table.name}", "    features:"]
        for column in table.columns:
            lines += [f"      - name: {column.name}", f"        dtype: {_DTYPES[column.kind]}"]
    return lines


#: Comments on tables.
_WORTH_LOADING = {
    "votes": "every vote",
    "labels": "one row a query, soft labels",
    "answers": "every answer to a question",
    "soft_labels": "how often each option was chosen",
}


def _loading(tables: Sequence[Table]) -> str:
    lines = []
    for number, table in enumerate(tables):
        if table.name in _WORTH_LOADING:
            name = f', "{table.name}"' if number else ""
            comment = _WORTH_LOADING[table.name]
            lines.append(f'{table.name} = datasets.load_dataset("FOLDER"{name})  # {comment}\n')
    return (
        f"```python\nimport datasets\n\n{''.join(lines)}```\n\n"
        "`croissant.json` describes the same tables for programs that read Croissant."
    )


def _columns(table: Table) -> str:
    rows = "\n".join(f"| `{column.name}` | {column.meaning} |" for column in table.columns)
    return f"`{table.file}`\n\n| column | meaning |\n|---|---|\n{rows}"
