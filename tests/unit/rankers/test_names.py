"""The rankers that the site offers are those of the registry."""

from annotation.vocabulary import LexicalRanker
from rankers.registry import RANKERS


def test_the_site_offers_every_lexical_ranker_by_its_title() -> None:
    assert dict(LexicalRanker.choices) == {one.name: one.title for one in RANKERS.values()}
