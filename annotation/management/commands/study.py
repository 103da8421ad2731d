from annotation.management.nouns import Noun


class Command(Noun):
    help = "Studies: members, files, runs, pools, bundles."
