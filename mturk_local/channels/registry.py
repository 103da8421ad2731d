"""The kinds of channels that exist."""

from collections.abc import Mapping

from mturk_local.channels.account import ACCOUNT
from mturk_local.channels.base import ChannelKind
from mturk_local.channels.link import LINK
from mturk_local.channels.panel import PANEL

#: By the name that channels are stored with.
CHANNEL_KINDS: Mapping[str, ChannelKind] = {kind.name: kind for kind in (LINK, ACCOUNT, PANEL)}
