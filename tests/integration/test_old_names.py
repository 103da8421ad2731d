"""Commands that have another name now are found under the old one, and say so."""

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

pytestmark = [pytest.mark.django_db(databases=["default", "crowd"])]


@pytest.mark.parametrize(
    ("old", "new", "arguments"),
    [
        ("set_aside_worker", "discard_votes", ["study", "ada", "--reason", "x", "--bring-back"]),
        ("forget_worker", "erase_worker", ["ada"]),
        ("crowd_forget", "crowd_erase", ["ada"]),
        ("crowd_door", "crowd_channel", ["revoke", "ada"]),
    ],
)
def test_an_old_name_does_the_same_and_names_the_new_one(
    old: str, new: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(CommandError) as by_the_old_name:
        call_command(old, *arguments)
    assert f"{old} is now {new}" in capsys.readouterr().err
    if old == "set_aside_worker":
        arguments = [*arguments[:-1], "--restore"]
    with pytest.raises(CommandError) as by_the_new_name:
        call_command(new, *arguments)
    assert str(by_the_old_name.value) == str(by_the_new_name.value)
    assert capsys.readouterr().err == ""
