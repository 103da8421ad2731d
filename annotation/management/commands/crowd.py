from annotation.management.nouns import Noun


class Command(Noun):
    help = "The crowd: its connection, and our own crowd service."
