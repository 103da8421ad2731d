"""The channels that a requester can open: one file each, found by `registry`."""
