from annotation.management.nouns import Noun


class Command(Noun):
    help = "Labels and votes: decide, adjudicate, import, export, compare."
