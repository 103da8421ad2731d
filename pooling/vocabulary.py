"""Default terms of a pool, in a module that is quick to import."""

#: Queries taken from the top of each list, as Rekabsaz & Schedl 2020, section 3.2, did.
CUTOFF = 500
#: Documents per query for the bias that sorts the lists.
RANK_CUTOFF = 10
MAGNITUDE = "tf"
