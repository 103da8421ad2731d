from annotation.management.nouns import Noun


class Command(Noun):
    help = "The site: backups, checks, retention."
