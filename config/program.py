"""`fairpool VERB`: the commands on files of all packages; those on the site are in `manage.py`."""

import os
import shutil
import sys
import textwrap
from argparse import ArgumentParser, HelpFormatter
from collections.abc import Sequence
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from tempfile import gettempdir
from typing import Any, NamedTuple

from metrics.cli.command import Command, failure_text
from metrics.cli.parser import Parser, about, add_options, parser_of
from metrics.errors import InputError
from metrics.extras import need
from metrics.io.outputs import InputFile, InputStream, check_options
from metrics.io.parts import part_folder
from metrics.version import VERSION


class Completion(Command):
    help = "Print a script that lets the shell complete commands and options."
    example = "completion bash > ~/.local/share/bash-completion/completions/fairpool"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("shell", choices=("bash", "zsh", "tcsh"), help="The shell.")

    def handle(self, *_args: Any, **options: Any) -> None:
        self.write(need("shtab").complete(make_parser(), options["shell"]))


class Verb(NamedTuple):
    """A command: its module and class, imported when it is called, and its line in the list.

    One without such a line is named below the list.
    """

    where: str
    summary: str = ""

    def load(self) -> Command:
        module, _, name = self.where.partition(":")
        command: Command = getattr(import_module(module), name)() if module else Completion()
        return command


# In the order of a study.
VERBS = {
    "score": Verb("metrics.cli.score:Score", "Count the gender words of a collection's passages"),
    "measure": Verb("metrics.cli.measure:MeasureRuns", "Measure the bias and fairness of runs"),
    "table": Verb("metrics.cli.table:Table", "Measure a folder of runs as the papers do"),
    "compare": Verb("metrics.cli.compare:Compare", "Compare the rankings of runs (RBO, CRBO)"),
    "explain": Verb("metrics.cli.explain:Explain", "Show why one query has the bias it has"),
    "counterfactual": Verb(
        "metrics.cli.counterfactual:Counterfactual", "Write a collection with genders swapped"
    ),
    "comsrb": Verb("metrics.cli.comsrb:ComSRB", "Measure bias without word lists (ComSRB)"),
    "measures": Verb("metrics.cli.measures:Measures", "List and explain the measures"),
    "report": Verb("metrics.cli.report:Report", "Write the tables and figures of a study"),
    "pool": Verb("pooling.command:Pool", "Pool the most biased queries of several runs"),
    "balance": Verb("metrics.cli.balance:Balance", "Re-rank a finished run for gender balance"),
    "rank": Verb("rankers.cli.rank:Rank", "Rank a collection by lexical or dense models"),
    "rerank": Verb("rankers.cli.rerank:Rerank", "Re-rank a run with a neural model"),
    "train": Verb("rankers.cli.train:Train", "Train a re-ranker"),
    "grepbias": Verb("rankers.cli.grepbias:Grepbias", "Work with Grep-BiasIR: report, train, grid"),
    "pool-pairs": Verb("pooling.command:PoolPairs"),
    "agree": Verb("metrics.cli.votes:Agree"),
    "decide": Verb("metrics.cli.votes:Decide"),
    "chain": Verb("metrics.cli.chain:Chain"),
    "source-bias": Verb("metrics.cli.source_bias:SourceBias"),
    "few-labels": Verb("metrics.cli.few_labels:FewLabels"),
    "promise": Verb("metrics.cli.promise:MakePromise"),
    "power": Verb("metrics.cli.power:PowerOfQueries"),
    "fine-tune": Verb("rankers.cli.fine_tune:FineTune"),
    "cross-validate": Verb("rankers.cli.cross_validate:CrossValidate"),
    "debias": Verb("rankers.cli.debias:Debias"),
    "attack": Verb("rankers.cli.attack:Attack"),
    "erase": Verb("rankers.cli.erase:Erase"),
    "ir-measures": Verb("metrics.cli.ir_measures:IrMeasures"),
    "compile": Verb("metrics.cli.compile:Compile"),
    "completion": Verb(":Completion"),
}


def make_parser() -> ArgumentParser:
    """The parser of the program with those of all its commands."""
    parser, commands = _program_parser()
    for name, verb in VERBS.items():
        command = verb.load()
        summary = verb.summary or command.help.partition(". ")[0].rstrip(".")
        add_options(commands.add_parser(name, help=summary, **about(name, command)), command)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit status: 0, 1 for bad input, 2 for a wrong call."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    name = words[0] if words else ""
    if name not in VERBS:
        parser, commands = _program_parser()
        for known, verb in VERBS.items():
            commands.add_parser(known, **({"help": verb.summary} if verb.summary else {}))
        parser.parse_args(words)  # ends with `--help`, `--version` and an unknown command
        parser.error("name the command first.")
    options: dict[str, Any] = {}
    called: ArgumentParser | None = None
    try:
        command = VERBS[name].load()
        called = parser_of(name, command)
        options = vars(called.parse_args(words[1:]))
        with ExitStack() as stack:
            _keep_standard_input(options, stack)
            check_options(options.values(), force=options.get("force", False))
            command.handle(**options)
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output, such as `head`, has closed it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (Exception, KeyboardInterrupt) as error:
        if "--traceback" in words:
            raise
        sys.stderr.write(f"fairpool {name}: {failure_text(error, options, called)}\n")
        return 1
    return 0


class _WholeNames(HelpFormatter):
    """Breaks no line within the name of a command."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return textwrap.fill(
            " ".join(text.split()),
            width,
            initial_indent=indent,
            subsequent_indent=indent,
            break_on_hyphens=False,
        )


def _program_parser() -> tuple[ArgumentParser, Any]:
    more = ", ".join(name for name, verb in VERBS.items() if not verb.summary)
    parser = Parser(
        prog="fairpool",
        description="Measure the gender bias and the fairness of ranked lists.",
        epilog=f"Also: {more}. For help with a command: fairpool COMMAND --help",
        formatter_class=_WholeNames,
    )
    parser.add_argument("--version", action="version", version=f"fairpool {VERSION}")
    return parser, parser.add_subparsers(metavar="COMMAND", required=True, parser_class=Parser)


def _keep_standard_input(options: dict[str, Any], stack: ExitStack) -> None:
    """Allow reading `-` more than once, like a file: for its digest, and for its content."""
    named = [name for name, value in options.items() if any(map(_is_input, _each(value)))]
    if not named:
        return
    if sum(_is_input(value) for name in named for value in _each(options[name])) > 1:
        raise InputError("standard input is named twice.", remedy="Write - once.")
    path = stack.enter_context(part_folder(Path(gettempdir(), "fairpool"))) / "standard-input"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    [name] = named
    values = [_at(value, path) for value in _each(options[name])]
    options[name] = values if isinstance(options[name], list) else values[0]


def _each(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _is_input(value: object) -> bool:
    return isinstance(value, InputFile) and not isinstance(value, InputStream) and value.path == "-"


def _at(value: Any, path: Path) -> Any:
    """The value with this path in place of `-`; a run keeps its name."""
    return type(value)(f"{value.removesuffix('-')}{path}") if _is_input(value) else value


if __name__ == "__main__":
    sys.exit(main())
