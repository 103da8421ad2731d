"""Ids of what is pooled and judged: a query, or a query with one passage."""


def pair_id(qid: str, docno: str) -> str:
    """Id of a pair of query and passage: both ids with a blank between, as no docno has one."""
    return f"{qid} {docno}"


def split_pair_id(item_id: str) -> tuple[str, str]:
    """Query id and docno of a pair's id."""
    qid, _, docno = item_id.rpartition(" ")
    return qid, docno
