"""forget_worker: the name that erase_worker had in version 0.1."""

from typing import Any

from annotation.management.commands import erase_worker


class Command(erase_worker.Command):
    help = f"The old name of erase_worker. {erase_worker.Command.help}"
    example = "forget_worker A1B2C3D4E5F6G7"

    def handle(self, **options: Any) -> None:
        self.note("forget_worker is now erase_worker; the old name works for one more release.")
        super().handle(**options)
