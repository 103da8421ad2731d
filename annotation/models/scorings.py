"""Collections that several machines score together; their tasks are the shards."""

from django.db import models


class Scoring(models.Model):
    """What is being scored, how, and where the parts go. It is gone when its result is written.

    `key` is a checksum of all the others: who asks for the same again goes on with what is there.
    """

    key = models.CharField(max_length=64, unique=True)
    plan = models.JSONField(help_text="The files as they were, and their shards.")
    lexicon = models.JSONField(help_text="The word list: its name, groups and words.")
    tokenizer = models.CharField(max_length=20)
    parts = models.TextField(help_text="Folder or URL that all workers reach.")
    actor = models.CharField(max_length=150, help_text="User name, or the command that asked.")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        names = [str(file["path"]).rpartition("/")[2] for file in self.plan["files"]]
        return " + ".join(names)
