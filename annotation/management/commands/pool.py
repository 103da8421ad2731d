from annotation.management.nouns import Noun


class Command(Noun):
    help = "Pools: the queries that runs are most biased on."
