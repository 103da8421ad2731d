"""Files of queries for a batch: people are asked the text alone, whatever writes it."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils.datastructures import MultiValueDict

from annotation.batches.pages.pasted import TextOrFile
from metrics.runs.queries import parse_queries


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "text",
    [
        "qid\tquery\tlabel\nq1\twho léft\tn\n",
        "query_id,text\nq1,who léft\n",
        '{"_id": "q1", "text": "who léft"}\n',
        "q1\twho léft\n",
    ],
)
def test_an_uploaded_file_of_queries_is_read_as_one_on_the_server(
    text: str, end: str, encoding: str
) -> None:
    content = text.replace("\n", end).encode(encoding)
    files = MultiValueDict({"queries_file": [SimpleUploadedFile("q.tsv", content)]})

    pasted = TextOrFile().value_from_datadict({}, files, "queries")

    assert parse_queries(pasted, "all").texts == {"q1": "who léft"}
