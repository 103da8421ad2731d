from annotation.management.nouns import Noun


class Command(Noun):
    help = "Accounts: permissions, tokens and the link that signs the owner in."
