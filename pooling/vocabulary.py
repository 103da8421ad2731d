"""Default terms of a pool, in a module that is quick to import."""

#: Queries taken from the top of each list, as Rekabsaz & Schedl 2020, section 3.2, did.
CUTOFF = 500
#: Documents per query for the bias that sorts the lists.
RANK_CUTOFF = 10
MAGNITUDE = "tf"

#: Passages of each query taken from each run into a pool of pairs, and the most that may be.
PASSAGES = 10
MOST_PASSAGES = 1_000
#: Queries or pairs of a pool at most: all of them are held at once.
LARGEST_POOL = 1_000_000
