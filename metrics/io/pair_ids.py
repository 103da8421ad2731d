"""Ids of pairs of a query and a passage: where items are pairs, one id stands for both."""


def pair_id(qid: str, docno: str) -> str:
    """Id of a pair of query and passage: both ids with a blank between, as no docno has one.

    >>> pair_id("q1", "d7")
    'q1 d7'
    """
    return f"{qid} {docno}"


def split_pair_id(item_id: str) -> tuple[str, str]:
    """Query id and docno of a pair's id.

    >>> split_pair_id("q1 d7")
    ('q1', 'd7')
    """
    qid, _, docno = item_id.rpartition(" ")
    return qid, docno
