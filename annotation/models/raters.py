"""Models that label queries of a study. Their labels are not votes: nothing counts or pays them."""

from django.db import models
from django.db.models import F, Q

from annotation.models.studies import Study
from annotation.schemes import LONGEST_NAME, built_in_scheme
from annotation.vocabulary import (
    CATEGORY_QUESTION,
    LONGEST_ID,
    LONGEST_USERNAME,
    RaterOrigin,
)


def options_of_categories() -> list[str]:
    return list(built_in_scheme(CATEGORY_QUESTION).question(CATEGORY_QUESTION).codes)


class ModelRater(models.Model):
    """One model that labels queries of a study, with everything needed to repeat that."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="model_raters")
    name = models.CharField(
        max_length=LONGEST_ID, help_text="The model, as whoever ran it calls it."
    )
    origin = models.CharField(max_length=10, choices=RaterOrigin)
    question = models.CharField(
        max_length=LONGEST_NAME,
        default=CATEGORY_QUESTION,
        help_text="Name of the question that it answers.",
    )
    options = models.JSONField(
        default=options_of_categories,
        help_text="The codes that it chooses from, as the question had them.",
    )
    category = models.CharField(
        max_length=LONGEST_NAME,
        blank=True,
        help_text="The only option that its beliefs are about; empty for a model that chooses.",
    )
    prompt = models.TextField(blank=True, help_text="What the model was asked, if that is known.")
    prompt_sha256 = models.CharField(max_length=64, blank=True)
    parameters = models.JSONField(default=dict, help_text="How it was asked, trained or imported.")
    budget = models.DecimalField(
        max_digits=14, decimal_places=6, db_default=0, help_text="USD that asking it may cost."
    )
    committed = models.DecimalField(
        max_digits=14,
        decimal_places=6,
        db_default=0,
        help_text="USD of the calls that were made, and the most that those under way may cost.",
    )
    prompt_tokens = models.PositiveBigIntegerField(db_default=0)
    completion_tokens = models.PositiveBigIntegerField(db_default=0)
    program_version = models.CharField(max_length=40, blank=True)
    actor = models.CharField(
        max_length=LONGEST_USERNAME, help_text="User name, or the command that added it."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name", "id")
        constraints = [
            models.UniqueConstraint(
                fields=["study", "name", "prompt_sha256", "question", "options", "category"],
                name="one_rater_per_study_name_and_prompt",
            ),
            models.CheckConstraint(
                condition=Q(origin__in=RaterOrigin.values), name="rater_of_a_known_origin"
            ),
            models.CheckConstraint(
                condition=Q(committed__gte=0) & Q(committed__lte=F("budget")),
                name="rater_committed_within_budget",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ModelLabel(models.Model):
    """A model's label of one query, named by its id: one of the rater's options, or none.

    `belief` is the model's probability of its label; of the rater's category, if that has one.
    """

    rater = models.ForeignKey(ModelRater, on_delete=models.CASCADE, related_name="labels")
    qid = models.CharField(max_length=LONGEST_ID)
    category = models.CharField(  # noqa: DJ001 - a missing answer is not an option
        max_length=LONGEST_NAME,
        null=True,
        blank=True,
        help_text="None: the model gave no answer that is an option.",
    )
    belief = models.FloatField(null=True, blank=True, help_text="From 0 to 1.")

    class Meta:
        ordering = ("rater", "id")
        constraints = [
            models.UniqueConstraint(fields=["rater", "qid"], name="one_label_per_rater_and_query"),
            models.CheckConstraint(
                condition=Q(belief__isnull=True) | Q(belief__gte=0, belief__lte=1),
                name="belief_is_a_probability",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.qid}: {self.category or 'no answer'}"
