"""Schemes as other annotation programs write them: read, recognised by content, and written."""

from annotation.schemes.formats import label_studio, potato, task_builder
from annotation.schemes.scheme import Scheme
from annotation.schemes.texts import scheme_from_yaml, scheme_to_yaml

#: What writes a scheme, by the name of the format.
WRITERS = {
    "yaml": scheme_to_yaml,
    "label-studio": label_studio.write,
    "potato": potato.write,
    "task-builder": task_builder.write,
}


def left_out(text: str) -> list[str]:
    """List the parts of the scheme in `text` for which a scheme of ours has no place."""
    is_label_studio = text.lstrip("\ufeff \t\r\n").startswith("<")
    return label_studio.left_out(text) if is_label_studio else []


def read_scheme(text: str) -> Scheme:
    """The scheme in `text`: Label Studio's XML, Potato's YAML, or our own YAML; `SchemeError`."""
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        return label_studio.read(text)
    if potato.recognises(text):
        return potato.read(text)
    return scheme_from_yaml(text)
