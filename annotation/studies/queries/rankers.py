"""Rankers available to a study: the lexical ones, and the models provided by the operator."""

from importlib.util import find_spec
from pathlib import Path

from django.conf import settings

from metrics.errors import InputError
from metrics.runs import check_run_name
from rankers.registry import RANKERS

#: Files of which a model's folder has one: our card, or the configuration of transformers.
_CARDS = ("model.json", "config.json")


def model_names() -> list[str]:
    """The models of the site by name; none where neural rankers are not installed.

    A model is a folder of `MODELS_DIR` with a card, weights in safetensors and a name fit for a
    run. Nothing else there is offered or loaded.
    """
    root = Path(settings.MODELS_DIR)
    if not settings.MODELS_DIR or not root.is_dir() or find_spec("torch") is None:
        return []
    return sorted(folder.name for folder in root.iterdir() if _is_model(folder))


def model_folder(name: str) -> Path:
    """The folder of a model that `model_names` lists; `InputError` for any other name."""
    if name not in model_names():
        known = ", ".join([*RANKERS, *model_names()])
        raise InputError(f"there is no ranker {name!r}.", remedy=f"Choose from {known}.")
    return Path(settings.MODELS_DIR) / name


def _is_model(folder: Path) -> bool:
    try:
        check_run_name(folder.name)
    except InputError:
        return False
    is_offered = not folder.name.startswith(".") and folder.name not in RANKERS
    has_card = any((folder / card).is_file() for card in _CARDS)
    return is_offered and has_card and any(folder.glob("*.safetensors"))
