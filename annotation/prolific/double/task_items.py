"""Layouts of the Task Builder: which items a page may have, each with its members."""

import copy
from collections.abc import Callable
from typing import Any

from annotation.prolific.double.refusals import InvalidItemsError

#: Members that are required of a kind of item, and those that it may have.
_MEMBERS: dict[str, tuple[set[str], set[str]]] = {
    "dataset_field": ({"field"}, set()),
    "rich_text": ({"content"}, {"content_format"}),
    "image": ({"url"}, {"alt_text", "caption"}),
    "free_text": ({"description"}, {"helper_text", "placeholder_text_input", "validation"}),
    "free_text_with_unit": (
        {"description", "unit_options"},
        {"helper_text", "placeholder_text_input", "default_unit", "unit_position", "validation"},
    ),
    "multiple_choice": (
        {"description", "answer_limit", "options"},
        {"helper_text", "disable_dropdown"},
    ),
    "multiple_choice_with_free_text": (
        {"description", "answer_limit", "options"},
        {"helper_text", "placeholder_text_input", "disable_dropdown"},
    ),
}
_MOST_COLUMNS = 2


def check_items(pages: list[dict[str, Any]], showable: set[str]) -> None:
    """Refuse a layout as Prolific does, naming every place; `showable` fields can be on a page."""
    issues: list[dict[str, Any]] = []
    for number, page in enumerate(pages):
        seen: set[str] = set()
        for r, row in enumerate(page["rows"]):
            if not 1 <= len(row["columns"]) <= _MOST_COLUMNS:
                issues.append({"page": number, "row": r, "message": "A row has 1 or 2 columns."})
            for c, column in enumerate(row["columns"]):
                for i, item in enumerate(column["items"]):
                    for field, message in _wrong(item, showable, seen):
                        place = {"page": number, "row": r, "column": c, "item": i}
                        issues.append(
                            {**place, "type": str(item.get("type")), "field": field,
                             "message": message}
                        )  # fmt: skip
    if issues:
        raise InvalidItemsError(issues)


def _wrong(item: dict[str, Any], showable: set[str], seen: set[str]) -> list[tuple[str, str]]:
    kind = item.get("type")
    if kind not in _MEMBERS:
        return [("type", "This type is not known.")]
    required, others = _MEMBERS[kind]
    names = item.keys() - {"type"}
    wrong = [(name, "This field is required.") for name in sorted(required - names)]
    wrong += [(name, "There is no such field.") for name in sorted(names - required - others)]
    if kind == "dataset_field" and not wrong:
        field = item["field"]
        if field not in showable:
            wrong.append(("field", f"{field} is not a field of the data set that can be showable."))
        if field in seen:
            wrong.append(("field", f"{field} is on this page already."))
        seen.add(field)
    if "options" in item and not wrong:
        options = item["options"]
        if not options or any(set(option) != {"label", "value"} for option in options):
            wrong.append(("options", "Each option has a label and a value."))
        elif not 1 <= item["answer_limit"] <= len(options):
            wrong.append(("answer_limit", "It is between 1 and the number of options."))
    return wrong


def with_ids(pages: list[dict[str, Any]], new_id: Callable[[], str]) -> list[dict[str, Any]]:
    """The layout with an id for each page, row, column and item."""
    made = copy.deepcopy(pages)
    for page in made:
        page["id"] = new_id()
        for row in page["rows"]:
            row["id"] = new_id()
            for column in row["columns"]:
                column["id"] = new_id()
                for item in column["items"]:
                    item["id"] = new_id()
    return made
