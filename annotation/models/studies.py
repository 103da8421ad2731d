"""A study: the files, pools and batches that belong together, and the people who may see them."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.vocabulary import (
    LONGEST_OWN_NAME,
    LONGEST_USERNAME,
    FileKind,
    Permit,
    Role,
)
from pooling.removable import Removable


class Study(Removable):
    """A study, isolated from every other one: only its members see it."""

    noun = what = "study"

    name = models.CharField(max_length=LONGEST_OWN_NAME)
    description = models.TextField(blank=True)
    named_files = models.JSONField(
        default=list,
        help_text="Kind, name, size and digest of the files that the bundle names which the study "
        "was imported from.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at", "name")
        verbose_name_plural = "studies"
        permissions = tuple(Permit.choices)
        constraints = [
            models.UniqueConstraint(
                fields=["name"], condition=Q(removed_at=None), name="one_study_per_name"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class KeptPoolManager(models.Manager["StudyPool"]):
    """All but those whose pool is removed."""

    def get_queryset(self) -> models.QuerySet["StudyPool"]:
        return super().get_queryset().filter(pool__removed_at=None)


class StudyPool(models.Model):
    """A pool belongs to one study; `pooling` knows nothing of studies."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="pools")
    pool = models.OneToOneField("pooling.Pool", on_delete=models.CASCADE, related_name="belongs")
    documents = models.JSONField(
        default=dict,
        help_text="Where the rankings and texts behind its queries are stored.",
    )

    objects = KeptPoolManager()
    everything = models.Manager()  # noqa: DJ012 - a manager, too

    def __str__(self) -> str:
        return f"{self.pool_id} of {self.study_id}"


class StudyFile(Removable):
    """A file that a study measures with: uploaded, or pointed to where the site keeps files."""

    noun = what = "file"

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="files")
    kind = models.CharField(max_length=12, choices=FileKind)
    name = models.CharField(
        max_length=LONGEST_OWN_NAME,
        help_text="The run's name; the file's own name for every other kind.",
    )
    path = models.CharField(
        max_length=500, help_text="In the storage of files, or where the site keeps files."
    )
    is_pointed = models.BooleanField(
        default=False, help_text="Stays in FAIRPOOL_FILES_DIR; it was not uploaded."
    )
    size = models.PositiveBigIntegerField(help_text="Bytes as stored.")
    digest = models.CharField(max_length=80, help_text="Of its bytes as stored.")
    summary = models.JSONField(default=dict, help_text="What checking the file found.")
    actor = models.CharField(
        max_length=LONGEST_USERNAME, help_text="User name, or the command that added it."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("kind", "name")
        constraints = [
            models.UniqueConstraint(
                fields=["study", "kind", "name"],
                condition=Q(removed_at=None),
                name="one_file_per_kind_and_name",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=FileKind.values), name="file_of_a_known_kind"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    @property
    def label(self) -> str:
        return f"{super().label} ({self.get_kind_display().lower()})"

    @property
    def warnings(self) -> list[str]:
        """Warnings from checking the file."""
        return [*self.summary.get("notices", ()), *self.summary.get("coverage", ())]


class Membership(models.Model):
    """A person's role in a study."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="members")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="studies"
    )
    role = models.CharField(max_length=12, choices=Role)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("user__username",)
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="one_role_per_study_and_user"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="member_of_known_role"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} is {self.role} of {self.study_id}"


class Invite(models.Model):
    """A link that makes whoever opens it first a member. Only its digest is stored."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="invites")
    role = models.CharField(max_length=12, choices=Role)
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the link's token.")
    actor = models.CharField(
        max_length=LONGEST_USERNAME, help_text="User name, or the command that invited."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="invites_used",
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-created_at",)
        constraints = [
            models.CheckConstraint(condition=Q(role__in=Role.values), name="invite_to_known_role"),
        ]

    def __str__(self) -> str:
        return f"{self.role} of {self.study_id}"
