import tomllib
from pathlib import Path

import pytest

import metrics


def test_every_public_name_can_be_imported() -> None:
    for name in metrics.__all__:
        assert getattr(metrics, name) is not None
    assert set(metrics._PUBLIC) <= set(metrics.__all__)


def test_other_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="'nothing'"):
        _ = metrics.nothing


def test_the_version_is_that_of_the_project() -> None:
    project = Path(metrics.__file__).resolve().parent.parent / "pyproject.toml"

    assert tomllib.loads(project.read_text())["project"]["version"] == metrics.__version__
