"""A collection in shards: scored one by one, anywhere and in any order, joined to the same file."""
