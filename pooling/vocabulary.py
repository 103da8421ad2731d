"""The terms of a pool unless others are named: quick to import."""

#: Queries taken from the top of each list, as Rekabsaz & Schedl 2020, section 3.2, did.
CUTOFF = 500
#: Documents per query that the bias which sorts the lists looks at.
RANK_CUTOFF = 10
MAGNITUDE = "tf"
