"""The kinds of channels that exist: each `ChannelKind` that a file of this package makes."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from annotation.mturk_local.channels.base import ChannelKind


@cache
def channel_kinds() -> Mapping[str, ChannelKind]:
    """All kinds, by the name that channels are stored with."""
    package = import_module(__package__)
    return {
        value.name: value
        for module in iter_modules(package.__path__, f"{__package__}.")
        for value in vars(import_module(module.name)).values()
        if isinstance(value, ChannelKind)
    }
