"""Corrected figures of a batch whose queries were drawn."""

from typing import Any

from rest_framework import serializers

from annotation.api.access import BatchView
from annotation.api.schema import reading
from annotation.api.serializers import RowSerializer
from annotation.core.parameters import serializer_of
from annotation.labels.queries.corrected import FigureParameters, corrected_figures
from annotation.labels.queries.corrected_table import figure_rows, note_in_print
from annotation.labels.queries.more_labels import MoreLabels, more_labels
from annotation.labels.queries.stand_in import (
    NOT_VALIDITY,
    StandInParameters,
    stand_in_rows,
    stand_in_tests,
)
from annotation.labels.queries.stopping import Stopping, stopping_of


class CorrectedFigureSerializer(serializers.Serializer[Any]):
    """One figure three ways; `figure` is a share, a mean or a difference.

    `target` is what intervals are about: the pool, or the population that it is a sample of.
    `models_off_by` is the error of the models alone, `effective_n` the number of labels that people
    alone would need for as narrow an interval, `weight` that of the models' belief.
    """

    figure = serializers.CharField()
    target = serializers.CharField()
    category = serializers.CharField()
    run = serializers.CharField()
    baseline = serializers.CharField()
    people = serializers.FloatField(allow_null=True)
    people_low = serializers.FloatField(allow_null=True)
    people_high = serializers.FloatField(allow_null=True)
    models = serializers.FloatField(allow_null=True)
    corrected = serializers.FloatField(allow_null=True)
    corrected_low = serializers.FloatField(allow_null=True)
    corrected_high = serializers.FloatField(allow_null=True)
    models_off_by = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()
    effective_n = serializers.FloatField(allow_null=True)
    weight = serializers.FloatField(allow_null=True)
    withheld = serializers.CharField()


class CorrectedFiguresSerializer(serializers.Serializer[Any]):
    """The figures of the pool that was drawn from, or the reason for none in `why_not`."""

    why_not = serializers.CharField()
    notes = serializers.ListField(child=serializers.CharField())
    note_in_print = serializers.CharField()
    n_pool = serializers.IntegerField()
    n_drawn = serializers.IntegerField()
    n_labelled = serializers.IntegerField()
    models = serializers.ListField(child=serializers.CharField())
    n_unknown = serializers.IntegerField()
    rows = CorrectedFigureSerializer(many=True)
    more_labels = RowSerializer[MoreLabels](dataclass=MoreLabels, allow_null=True)
    stopping = RowSerializer[Stopping](dataclass=Stopping, allow_null=True)


class StandInSerializer(serializers.Serializer[Any]):
    """The alternative-annotator test of one model; `p` has one for each annotator."""

    model = serializers.CharField()
    may_stand_in = serializers.BooleanField(allow_null=True)
    winning_rate = serializers.FloatField(allow_null=True)
    advantage = serializers.FloatField(allow_null=True)
    n_annotators = serializers.IntegerField()
    n_skipped = serializers.IntegerField()
    p = serializers.ListField(child=serializers.FloatField(allow_null=True))
    sentence = serializers.CharField()
    why_not = serializers.CharField()


class StandInsSerializer(serializers.Serializer[Any]):
    """The test of each model; `note` says what it does not show."""

    models = StandInSerializer(many=True)
    note = serializers.CharField()


class BatchStandIn(BatchView):
    query_shapes = {"GET": serializer_of(StandInParameters)}

    @reading("batch_stand_in", StandInsSerializer, parameters=[serializer_of(StandInParameters)])
    def get(self, **_: Any) -> Any:
        """The test, for each model of the study, of whether it may stand in for an annotator."""
        tests = stand_in_tests(batch=self.batch, parameters=self.query_parameters())
        return {"models": stand_in_rows(tests), "note": NOT_VALIDITY}


class BatchFigures(BatchView):
    query_shapes = {"GET": serializer_of(FigureParameters)}

    @reading(
        "batch_figures", CorrectedFiguresSerializer, parameters=[serializer_of(FigureParameters)]
    )
    def get(self, **_: Any) -> Any:
        """Shares and mean bias of the whole pool: by people, by models, and corrected."""
        figures = corrected_figures(batch=self.batch, parameters=self.query_parameters())
        return vars(figures) | {
            "rows": figure_rows(figures),
            "note_in_print": note_in_print(figures),
            "more_labels": more_labels(batch=self.batch, figures=figures),
            "stopping": figures.sample and stopping_of(figures.sample),
        }
