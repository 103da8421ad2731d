import inspect
import pickle
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import metrics
from metrics.aliases import ARGUMENTS, NAMES
from metrics.measures.of_ir_measures import measure_of
from metrics.measures.registry import get
from metrics.public import public


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


def test_every_function_and_constructor_takes_other_names_of_its_arguments() -> None:
    functions: dict[str, Any] = {
        name: value
        for name in metrics.__all__
        if inspect.isroutine(value := getattr(metrics, name))
    }
    functions |= {"from_dict": metrics.Run.from_dict, "from_frame": metrics.Run.from_frame}

    assert len(functions) > 25
    for name, function in functions.items():
        with pytest.raises(metrics.InputError, match=name):
            function(no_such_argument=1)


def test_public_functions_go_to_other_processes() -> None:
    for name in metrics.__all__:
        value = getattr(metrics, name)
        if inspect.isfunction(value):
            assert pickle.loads(pickle.dumps(value)) is value  # noqa: S301 - it is ours


def test_aliases_name_arguments_that_exist() -> None:
    functions: dict[str, Any] = {name: getattr(metrics, name) for name in metrics.__all__} | {
        "from_dict": metrics.Run.from_dict,
        "from_frame": metrics.Run.from_frame,
    }
    for name, aliases in ARGUMENTS.items():
        if not name:
            continue
        known = set(inspect.signature(functions[name]).parameters)
        meant = {value for value in aliases.values() if isinstance(value, str)}
        assert meant <= known, name
        assert not known & set(aliases), name


def test_aliases_name_functions_that_exist() -> None:
    for name, meant in NAMES.items():
        assert name not in metrics.__all__
        if isinstance(meant, str):
            assert getattr(metrics, name) is not None


def test_a_type_error_from_inside_is_its_own() -> None:
    def inner(_value: int) -> None:
        raise TypeError("inside")

    with pytest.raises(TypeError, match="inside"):
        public(inner)(1)


def test_a_measure_without_its_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    measure_of.cache_clear()
    for name in ("AP@10", "map", "ERR", "RBP(p=0.8)"):
        with pytest.raises(metrics.InputError, match=r"fairpool\[ir\]"):
            get(name)
    measure_of.cache_clear()


def test_names_of_trec_eval_are_read() -> None:
    names = ("map", "map_cut_10", "ndcg_cut_5", "P_20", "recall_100", "RaB@10")

    assert [str(get(name)) for name in names] == [
        "AP",
        "AP@10",
        "nDCG@5",
        "P@20",
        "Recall@100",
        "RaB@10",
    ]
