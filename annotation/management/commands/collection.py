from annotation.management.nouns import Noun


class Command(Noun):
    help = "Collections: count the words that measures need."
