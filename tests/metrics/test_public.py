import inspect
import re
import tomllib
from pathlib import Path

import pytest

import metrics


def test_every_public_name_can_be_imported() -> None:
    for name in metrics.__all__:
        assert getattr(metrics, name) is not None
    assert set(metrics._PUBLIC) <= set(metrics.__all__)


def test_what_people_read_of_them_speaks_of_fairpool_and_of_no_options() -> None:
    public = {name: getattr(metrics, name) for name in metrics.__all__}
    for name, kind in [*public.items()]:
        if inspect.isclass(kind):
            public |= {f"{name}.{key}": value for key, value in vars(kind).items() if key[0] != "_"}
    texts = {name: inspect.getdoc(value) or "" for name, value in public.items()}

    assert {name for name, text in texts.items() if re.search(r"\bmetrics\.|--\w", text)} == set()


def test_other_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="'nothing'"):
        _ = metrics.nothing


def test_the_version_is_that_of_the_project() -> None:
    project = Path(metrics.__file__).resolve().parent.parent / "pyproject.toml"

    assert tomllib.loads(project.read_text())["project"]["version"] == metrics.__version__
