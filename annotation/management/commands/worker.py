from annotation.management.nouns import Noun


class Command(Noun):
    help = "Workers: quality, discarded votes, exclusion, erasure."
