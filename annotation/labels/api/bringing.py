"""Bring votes of another program: a file becomes a study."""

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.access import ApiView, BatchView, as_problems, raise_lacking
from annotation.core.access import is_permitted
from annotation.core.parameters import serializer_of
from annotation.labels.operations.bring_votes import (
    UploadedVotesParameters,
    UploadVotesParameters,
    add_upload,
    bring_upload,
)
from annotation.studies.api.files import BYTES, Bytes, stream_of
from annotation.vocabulary import Permit


class BroughtVotesSerializer(serializers.Serializer[Any]):
    """The import: numbers of study and batch, and what was stored.

    `set_aside` counts, by reason, answers that are kept but are not votes; `first_set_aside` has
    file and line of the first of each.
    """

    study = serializers.IntegerField()
    batch = serializers.IntegerField()
    name = serializers.CharField()
    n_queries = serializers.IntegerField()
    n_votes = serializers.IntegerField()
    n_workers = serializers.IntegerField()
    n_gold = serializers.IntegerField()
    n_gold_votes = serializers.IntegerField()
    n_model_labels = serializers.IntegerField()
    set_aside = serializers.DictField(child=serializers.IntegerField())
    first_set_aside = serializers.DictField(child=serializers.CharField())
    notes = serializers.ListField(child=serializers.CharField())


class VotesBrought(ApiView):
    parser_classes = (Bytes,)
    query_shapes = {"POST": serializer_of(UploadVotesParameters)}

    @extend_schema(
        operation_id="study_bring_votes",
        parameters=[serializer_of(UploadVotesParameters)],
        request={BYTES: OpenApiTypes.BINARY},
        responses={201: BroughtVotesSerializer},
        filters=False,
    )
    def post(self, request: Request) -> Response:
        """Make a study of votes: the body is the file itself, or a zip of one file per person.

        All of it is imported, or nothing; a problem says the line that cannot be used.
        """
        # Before the file is read.
        if not is_permitted(user=self.person, permit=Permit.CREATE_STUDIES):
            raise_lacking(Permit.CREATE_STUDIES)
        values = request.query_params.dict()
        with as_problems():
            done = bring_upload(stream_of(request), values, self.who)
        return Response(BroughtVotesSerializer(done.values).data, status=status.HTTP_201_CREATED)


class AddedVotesSerializer(serializers.Serializer[Any]):
    """The addition: `n_known` answers are of workers who had voted on the query already.

    Their votes stand, and `n_different` of the new answers differ from them.
    """

    name = serializers.CharField()
    n_votes = serializers.IntegerField()
    n_workers = serializers.IntegerField()
    n_queries = serializers.IntegerField()
    n_known = serializers.IntegerField()
    n_different = serializers.IntegerField()
    set_aside = serializers.DictField(child=serializers.IntegerField())
    notes = serializers.ListField(child=serializers.CharField())


class VotesAdded(BatchView):
    parser_classes = (Bytes,)
    query_shapes = {"POST": serializer_of(UploadedVotesParameters)}

    @extend_schema(
        operation_id="batch_votes_add",
        parameters=[serializer_of(UploadedVotesParameters)],
        request={BYTES: OpenApiTypes.BINARY},
        responses={201: AddedVotesSerializer},
        filters=False,
    )
    def post(self, request: Request, **_: Any) -> Response:
        """Add votes to a batch: the body is the file itself, or a zip of several.

        A worker has one vote on a query, so that a file that comes twice adds nothing.
        """
        values = request.query_params.dict()
        with as_problems():
            done = add_upload(self.batch, stream_of(request), values, self.who)
        return Response(AddedVotesSerializer(done.values).data, status=status.HTTP_201_CREATED)
