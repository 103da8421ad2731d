from annotation.management.nouns import Noun


class Command(Noun):
    help = "Schemes of labels: from and for other annotation programs."
