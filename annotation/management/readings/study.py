"""Studies: their list, members and steps."""

from annotation.accounts.queries.members import study_list, study_members
from annotation.management.readings import Answer, reads
from annotation.models import Study
from annotation.overview.queries.flow import study_flow
from annotation.overview.queries.steps import Step, next_step, steps_of


@reads("study list --json")
def listed() -> Answer:
    """List the studies, the latest first."""
    counts = ("n_members", "n_pools", "n_batches")
    rows = [
        {"name": study.name, "number": study.pk} | {name: getattr(study, name) for name in counts}
        for study in study_list()
    ]
    line = "{name}: {n_members} members, {n_pools} pools, {n_batches} batches"
    return Answer({"studies": rows}, [line.format(**row) for row in rows] or "No studies.")


@reads("study members gender-2026 --json", subject="study")
def members(study: Study) -> Answer:
    """List the members of a study with the number and the role of each."""
    rows = [
        (member.pk, member.user.get_username(), member.role)
        for member in study_members(study=study)
    ]
    result = {
        "name": study.name,
        "number": study.pk,
        "members": {name: role for _, name, role in rows},
        "numbers": {name: number for number, name, _ in rows},
    }
    lines = [f"{number}  {name}: {role}" for number, name, role in rows]
    return Answer(result, lines or f"{study.name} has no members yet.")


@reads("study show gender-2026 --json", subject="study")
def show(study: Study) -> Answer:
    """Show the steps of a study: what is done, what runs, what is to be done."""
    flow = study_flow(study=study)
    steps = steps_of(flow)
    following = next_step(steps, is_archived=bool(flow.study.archived_at))
    next_key = following.key if following else None
    result = {"study": study.name, "next": next_key, "steps": [step.as_dict() for step in steps]}
    last = [f"Next: {following.title}."] if following else []
    return Answer(result, [*map(_line, steps), *last])


def _line(step: Step) -> str:
    task = step.task
    so_far = f" {task.done:,} of {task.total:,}." if task and task.total else ""
    return f"{step.title:12} {step.state.label:8} {step.sentence}{so_far}"
