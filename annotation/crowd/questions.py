"""The `Question` of a HIT: an annotators' page wrapped as an `HTMLQuestion`, ready to send."""

NAMESPACE = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2011-11-11/HTMLQuestion.xsd"
)
#: The service's limit for a `Question`, white space included.
MAX_BYTES = 65_535


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
    """Size of the question in bytes, compared with `MAX_BYTES`."""
    return len(question.encode("utf-8"))
