from annotation.management.nouns import Noun


class Command(Noun):
    help = "Background jobs: list, cancel and do them."
