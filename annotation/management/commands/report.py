from annotation.management.nouns import Noun


class Command(Noun):
    help = "Reports: tables and figures of a study."
