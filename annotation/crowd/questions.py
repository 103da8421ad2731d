"""The `Question` of a HIT: an annotators' page wrapped as an `HTMLQuestion`, ready to send."""

from annotation.vocabulary import Environment

NAMESPACE = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2011-11-11/HTMLQuestion.xsd"
)
#: Amazon's limit for a `Question`, white space included, and that of our own service.
MAX_BYTES, _OWN_MAX_BYTES = 65_535, 262_144


def most_bytes(environment: str) -> int:
    """Return how large a `Question` may be where batches of this environment are published."""
    return _OWN_MAX_BYTES if environment == Environment.LOCAL else MAX_BYTES


def html_question(page: str) -> str:
    """`page` in CDATA; the end mark of CDATA inside the page is split over two sections.

    The frame's height 0 lets it grow with the page.
    """
    content = page.replace("]]>", "]]]]><![CDATA[>")
    return (
        f'<HTMLQuestion xmlns="{NAMESPACE}">'
        f"<HTMLContent><![CDATA[{content}]]></HTMLContent><FrameHeight>0</FrameHeight>"
        "</HTMLQuestion>"
    )


def size_in_bytes(question: str) -> int:
    """Size of the question in bytes, compared with `most_bytes`."""
    return len(question.encode("utf-8"))
