"""`crowd_forget`: the name that `crowd_erase` had in version 0.1."""

from typing import Any

from annotation.mturk_local.management.commands import crowd_erase


class Command(crowd_erase.Command):
    help = f"The old name of crowd_erase. {crowd_erase.Command.help}"

    def handle(self, *args: Any, **options: Any) -> None:
        self.stderr.write(
            "crowd_forget is now crowd_erase; the old name works for one more release."
        )
        super().handle(*args, **options)
