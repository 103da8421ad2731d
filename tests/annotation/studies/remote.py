"""A storage as far away as a bucket is: it keeps bytes, and knows no path of this machine."""

from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import Storage


class RemoteStorage(Storage):
    def __init__(self) -> None:
        self._kept: dict[str, bytes] = {}

    def _save(self, name: str, content: Any) -> str:
        self._kept[name] = b"".join(content.chunks())
        return name

    def _open(self, name: str, _mode: str) -> Any:
        return ContentFile(self._kept[name], name=name)

    def exists(self, name: str) -> bool:
        return name in self._kept

    def delete(self, name: str) -> None:
        self._kept.pop(name, None)
