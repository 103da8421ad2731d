"""measures: the measures and their meanings."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from .command import Command

_FIELDS = (
    "name",
    "summary",
    "equation",
    "formula",
    "citation",
    "range",
    "direction",
    "short_list",
    "empty_list",
    "no_group_words",
)


class Measures(Command):
    help = "List the measures: what they measure, their parameters, range and direction."
    example = "measures ARaB"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "names",
            metavar="MEASURE",
            nargs="*",
            help="Explain these in full (default: all, a line each).",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        from ..measures import available, get
        from ..measures.reference import description, wrapped
        from ..measures.worked import INTRODUCTION

        names = options["names"]
        definitions = [get(name).definition for name in names] if names else available()
        if options["as_json"]:
            self.print_json({"measures": [_as_json(definition) for definition in definitions]})
        elif names:
            self.write("\n\n".join([*map(description, definitions), wrapped(INTRODUCTION)]))
        else:
            width = max(len(definition.name) for definition in definitions)
            for definition in definitions:
                self.write(f"{definition.name:<{width}}  {definition.summary}")


def _as_json(definition: Any) -> dict[str, object]:
    parameters = {
        name: {**asdict(info), "dtype": info.dtype.__name__}
        for name, info in definition.params.items()
    }
    return {
        **{field: getattr(definition, field) for field in _FIELDS},
        "needs": sorted(definition.needs),
        "parameters": parameters,
    }
