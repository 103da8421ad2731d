"""Items that are pooled and judged, queries or pairs: their noun, ids, and names of lists."""


def item_noun(*, of_pairs: bool) -> str:
    """Noun by which pages, messages and commands count the items of a pool or batch."""
    return "pair" if of_pairs else "query"


def pair_id(qid: str, docno: str) -> str:
    """Id of a pair of query and passage: both ids with a blank between, as no docno has one."""
    return f"{qid} {docno}"


def split_pair_id(item_id: str) -> tuple[str, str]:
    """Query id and docno of a pair's id."""
    qid, _, docno = item_id.rpartition(" ")
    return qid, docno


def list_name(run: str, direction: str) -> str:
    """Name of a run's list: that of the run alone where passages stand in it, not queries."""
    return f"{run}:{direction}" if direction else run


def run_and_direction(name: str) -> tuple[str, str]:
    """Run and direction of a list by its name."""
    run, _, direction = name.partition(":")
    return run, direction
