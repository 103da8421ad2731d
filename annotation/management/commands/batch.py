from annotation.management.nouns import Noun


class Command(Noun):
    help = "Batches of HITs: plan, publish, collect, pay, look at agreement."
