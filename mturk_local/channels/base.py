"""A kind of channel: how a requester opens it, and how its people come in."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from django.urls import URLPattern
from django.utils import timezone

from mturk_local.errors import does_not_exist
from mturk_local.lifecycle.channels import channel_is_open
from mturk_local.models import Channel, HITType, KeyPair

Params = dict[str, Any]


class ChannelKind(ABC):
    """A kind of channel: one of these in a file of this package, listed in `registry`, suffices.

    `name` is stored and used in the protocol; the operation `Create` + name opens one.
    """

    name: ClassVar[str]
    #: The addresses by which people come in, in the annotators' pages.
    routes: ClassVar[list[URLPattern]] = []

    @abstractmethod
    def create(self, key: KeyPair, params: Params) -> Channel:
        """Open a channel for a requester, with the members `params`."""

    @abstractmethod
    def url(self, channel: Channel) -> str:
        """Return the address to send to people."""

    def members(self, channel: Channel) -> Params:
        """Members of the reply that only this kind has."""
        del channel
        return {}

    def is_open(self, channel: Channel) -> bool:
        """Return whether somebody else can still come in."""
        return channel_is_open(channel)

    def revoke(self, channel: Channel) -> None:
        """Close everything beside the channel itself."""
        del channel

    def store(self, key: KeyPair, params: Params, **more: Any) -> Channel:
        """A new channel of this kind: `Reference`.

        As needed `Note`, `HITTypeId`, `Annotation`, `AskedBy`, `Seconds`.
        """
        channel = Channel(
            requester=key.requester,
            kind=self.name,
            reference=str(params["Reference"]),
            note=str(params.get("Note", "")),
            hit_group_id=hit_group(key, params),
            annotation=str(params.get("Annotation", "")),
            asked_by=str(params.get("AskedBy", "")),
            seconds=int(params["Seconds"]) if "Seconds" in params else None,
            created_at=timezone.now(),
            **more,
        )
        channel.clean_fields()
        channel.save(force_insert=True)
        return channel


def hit_group(key: KeyPair, params: Params) -> str:
    """The group of HITs of `HITTypeId`, where one is named."""
    if not params.get("HITTypeId"):
        return ""
    named = str(params["HITTypeId"])
    hit_type = HITType.objects.filter(requester=key.requester, hit_type_id=named).first()
    if hit_type is None:
        raise does_not_exist("HITType", named)
    return hit_type.hit_group_id
