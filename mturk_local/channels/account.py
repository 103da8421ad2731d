"""An account that a requester makes for one person, who signs in with a name and a password."""

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.db import transaction

from mturk_local.addresses import address
from mturk_local.channels.base import ChannelKind, Params
from mturk_local.models import Channel, EntryChannel, KeyPair, Worker
from mturk_local.workers import worker_create, worker_sign_out_everywhere


class Account(ChannelKind):
    """`Username`, `Password`; as needed `Country` (two letters). Revoked, it is closed at once."""

    name = "account"

    def create(self, key: KeyPair, params: Params) -> Channel:
        name, password = str(params["Username"]).strip(), str(params["Password"])
        if not name:
            raise ValueError("Username is empty")
        validate_password(password, User(username=name))  # looks at the name
        with transaction.atomic(using="crowd"):
            worker = worker_create(
                entry_channel=EntryChannel.ACCOUNT,
                username=name,
                password=password,
                country=params.get("Country", ""),
            )
            return self.store(key, {**params, "Note": name}, account=worker, places=1)

    def url(self, channel: Channel) -> str:
        del channel
        return address("crowd-sign-in")

    def is_open(self, channel: Channel) -> bool:
        return channel.account is not None and super().is_open(channel)

    def revoke(self, channel: Channel) -> None:
        if channel.account is not None:
            Worker.objects.filter(pk=channel.account.pk).update(active=False)
            worker_sign_out_everywhere(worker=channel.account)


ACCOUNT = Account()
