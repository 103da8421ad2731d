"""Command: the steps of a study, with their states."""

from argparse import ArgumentParser
from typing import Any

from annotation.accounts.queries.members import get_study
from annotation.core.base_command import FairpoolCommand
from annotation.overview.queries.flow import study_flow
from annotation.overview.queries.steps import Step, next_step, steps_of


class Command(FairpoolCommand):
    help = "Show the steps of a study: what is done, what runs, what is to be done."
    example = "study show gender-2026 --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="Name of the study.")

    def handle(self, **options: Any) -> None:
        study = options["study"]
        flow = study_flow(study=get_study(name=study))
        steps = steps_of(flow)
        following = next_step(steps, is_archived=bool(flow.study.archived_at))
        next_key = following.key if following else None
        result = {"study": study, "next": next_key, "steps": [step.as_dict() for step in steps]}
        last = [f"Next: {following.title}."] if following else []
        self.print_result(options, result, [*map(_line, steps), *last])


def _line(step: Step) -> str:
    task = step.task
    so_far = f" {task.done:,} of {task.total:,}." if task and task.total else ""
    return f"{step.title:12} {step.state.label:8} {step.sentence}{so_far}"
