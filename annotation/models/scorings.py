"""Collections that several machines score together; their tasks are the shards."""

from dataclasses import dataclass

from django.db import models


class Scoring(models.Model):
    """A scoring at work: input, terms, place of the parts. Gone when its result is written.

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


@dataclass(frozen=True)
class Part:
    """One part of a scoring, which one task does: a shard, or the checksum of them all."""

    scoring: Scoring
    number: int

    @property
    def path(self) -> str:
        """Where the magnitudes of the shard go."""
        return f"{self.scoring.parts}/{self.number:06d}.parquet"

    def __str__(self) -> str:
        return f"{self.scoring}, part {self.number + 1}"
