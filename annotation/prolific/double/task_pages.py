"""Pages of the Task Builder's participants, for people who try a study out by hand."""

from html import escape
from typing import Any

from annotation.prolific.double.market import Market
from annotation.prolific.double.refusals import RefusalError
from annotation.prolific.double.task_builder import Task, items_of

#: Where a participant answers, before the id of the submission.
AT = "/rehearsal-task/"


def form_for(market: Market, submission_id: str) -> str:
    """The questions about every task of the submission's group, as a form."""
    batch, group = market.task_of(submission_id)
    details = batch.details
    parts = [f"<h2>{escape(details['task_name'])}</h2>", details["task_introduction"]]
    for task in batch.groups[group]:
        parts.append("<hr>")
        parts += [_shown(item, task) for item in items_of(batch.items)]
    parts.append('<p><button type="submit">Submit</button></p>')
    return f'<form method="post">{"".join(parts)}</form>'


def take_answers(market: Market, submission_id: str, fields: dict[str, list[str]]) -> str:
    """Store the answers of the form and submit; the status of the submission then."""
    batch, group = market.task_of(submission_id)
    answers: dict[str, dict[str, list[str]]] = {}
    for task in batch.groups[group]:
        for question in batch.questions:
            values = fields.get(f"{task.task_id} {question['id']}", [])
            if not values and "options" in question:
                raise RefusalError("A question has no answer.")
            answers.setdefault(task.task_id, {})[question["id"]] = values
    return market.answer_tasks(submission_id, answers).status


def _shown(item: dict[str, Any], task: Task) -> str:
    if item["type"] == "dataset_field":
        return f"<p><strong>{escape(task.row[item['field']])}</strong></p>"
    if item["type"] == "rich_text":
        return str(item["content"])
    if "description" not in item:
        return ""
    name = f"{task.task_id} {item['id']}"
    legend = f"<legend>{escape(item['description'])}</legend>"
    if "options" not in item:
        text = f'<textarea name="{name}" aria-label="Answer"></textarea>'
        return f"<fieldset>{legend}{text}</fieldset>"
    kind = "radio" if item["answer_limit"] == 1 else "checkbox"
    options = "".join(
        f'<label><input type="{kind}" name="{name}" value="{escape(option["value"])}"> '
        f"{escape(option['label'])}</label> "
        for option in item["options"]
    )
    return f"<fieldset>{legend}{options}</fieldset>"
