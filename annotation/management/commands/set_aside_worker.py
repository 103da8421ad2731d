"""set_aside_worker: the name that discard_votes had in version 0.1."""

from typing import Any

from annotation.management.commands import discard_votes


class Command(discard_votes.Command):
    help = f"The old name of discard_votes. {discard_votes.Command.help}"
    example = "set_aside_worker study A1B2C3 --reason 'wrong on 9 of 10 gold questions'"
    restore_option = "--bring-back"

    def handle(self, **options: Any) -> None:
        self.note("set_aside_worker is now discard_votes; the old name works for one more release.")
        super().handle(**options)
