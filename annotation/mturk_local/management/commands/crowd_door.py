"""`crowd_door`: the name that `crowd_channel` had in version 0.1."""

from typing import Any

from annotation.mturk_local.management.commands import crowd_channel


class Command(crowd_channel.Command):
    help = f"The old name of crowd_channel. {crowd_channel.Command.help}"

    def handle(self, *args: Any, **options: Any) -> None:
        self.stderr.write(
            "crowd_door is now crowd_channel; the old name works for one more release."
        )
        super().handle(*args, **options)
