"""The page inside the XML that is sent."""

from defusedxml.ElementTree import fromstring

from annotation.crowd.questions import NAMESPACE, html_question, size_in_bytes


def test_the_page_comes_out_of_the_xml_as_it_went_in() -> None:
    page = "<p>&amp; ]]> ]]]]>> x[y[0]]>1 <![CDATA[ é</p>"
    root = fromstring(html_question(page))
    assert root.tag == f"{{{NAMESPACE}}}HTMLQuestion"
    assert [child.tag.split("}")[1] for child in root] == ["HTMLContent", "FrameHeight"]
    assert root[0].text == page
    assert root[1].text == "0"


def test_the_size_counts_bytes_and_not_characters() -> None:
    assert size_in_bytes(html_question("é")) == size_in_bytes(html_question("e")) + 1
