"""Data folders and bundles of released versions, which every later version must read."""
