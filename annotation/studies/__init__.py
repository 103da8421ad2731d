"""Studies: their files, scored collections and pools."""
