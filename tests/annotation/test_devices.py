"""For which devices a batch is: as its task page says."""

from dataclasses import replace

from annotation.schemes import built_in_scheme
from annotation.schemes.kinds.text import TEXT
from annotation.task_page.devices import DEVICES, devices_for


def test_pages_with_buttons_are_for_all_devices() -> None:
    for name in ("gender", "severity"):
        assert devices_for(built_in_scheme(name)) == DEVICES


def test_where_an_answer_has_to_be_typed_phones_are_left_out() -> None:
    scheme = built_in_scheme("severity")
    typed = replace(scheme.questions[0], kind=TEXT, options=(), required=True)
    assert devices_for(replace(scheme, questions=(typed,))) == ("desktop", "tablet")
    optional = replace(typed, required=False)
    assert devices_for(replace(scheme, questions=(optional,))) == DEVICES
