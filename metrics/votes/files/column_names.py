"""Names of columns: roles of a vote, people, and columns without anybody's answers."""

import re
from collections.abc import Iterable, Mapping

#: Names under which programs write the columns of votes, by role; the first is ours. Case, blanks
#: and signs between the words do not matter.
USUAL_NAMES = {
    "query_id": (
        *("query_id", "qid", "task", "item", "example_id", "instance_id", "item_id", "task_id"),
        *("question_id", "sample_id"),
    ),
    "worker": (
        *("worker", "worker_id", "annotator", "user", "voter", "user_id", "annotator_id", "rater"),
        *("rater_id", "coder", "coder_id", "participant_id", "username", "labeler", "assessor"),
    ),
    "label": ("label", "answer", "category", "vote", "response"),
    "query": ("query", "text", "query_text"),
    "gold": ("gold",),
    "seconds": ("seconds", "work_time", "worktimeinseconds", "lead_time"),
    "answered_at": ("answered_at", "created_at", "submitted_at"),
}


def _set(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


#: A word of a column with one person's answers, beside a number, a letter or a name.
_PERSON = _set(
    "annotator annot anno ann rater coder judge worker human person participant user labeler",
    "labeller assessor reviewer evaluator voter respondent subject labelled labeled observer",
)
#: A letter that stands for one of them before a number, as in r1 and A2.
_PERSON_LETTERS = _set("a c e h j p r s u v w")
#: Words for an answer of anybody; numbered, some are places of votes.
_VOTE = _set("label answer vote response rating judgment judgement annotation")
_ANSWER = _VOTE | _set("labels value choice code score category class tag")
#: A word of a column that is nobody's answer. Of a person's name and one of these, these count.
_ASIDE = _set(
    # Names and places of rows, and texts
    "id ids idx index key hit hits row line no nr num number n name names email title text texts",
    "query queries question questions document doc passage sentence content body url uri link",
    "image prompt item context comment comments note notes remark remarks feedback reason reasons",
    "rationale explanation justification column",
    # Sums of what people said
    "count counts total totals sum votes raters annotators workers coders people users freq",
    "frequency agree agrees agreed agreement disagree disagreement unanimous consensus majority",
    "maj plurality mode mean avg average median std sd stdev var variance entropy kappa alpha",
    "final resolved resolution adjudicated adjudication adjudicator aggregated aggregate agg",
    "ratio percent pct fraction share tie ties conflict",
    # What is known or computed
    "gold golden truth true correct expected reference ref target known groundtruth gt predicted",
    "prediction predictions pred preds predict model models machine system systems auto automatic",
    "classifier classified gpt chatgpt openai llm llms bert roberta claude llama gemini mistral",
    "qwen deepseek ai bot agent baseline heuristic rule output prob probs probability",
    "probabilities logit confidence conf certainty sure uncertainty weight trust difficulty",
    # Times
    "time times timestamp date datetime start started end ended stop begin began finish finished",
    "duration seconds sec secs ms minutes elapsed created updated submitted accepted year month",
    "day hour",
    # Where it comes from, and of whom
    "source origin dataset corpus collection split fold set subset part batch round session wave",
    "group domain topic genre lang language locale country region city age education",
    "status state flag flagged valid invalid checked check skipped length len words tokens chars",
    "size rank position order version seed device browser ip channel platform reward pay cost",
    "price quality approved rejected type kind meta metadata",
)
#: Words for answers, which are not a person's name.
_ASKED = _set("gender sex stance sentiment bias")
#: Names of people, too, where they stand alone.
_ALSO_NAMES = frozenset({"max", "min"})
#: Words from above that are names as well: with a person's answers below them, they may be one.
_PERHAPS_NAMES = _set("claude price lang day key bert roberta ai", "gemini mistral grant page")
#: What stands beside the answers of people, and might be called after one: it is asked about.
_OUTCOMES = _set(
    "curated curator curation ensemble clf svm winner winning verdict oracle decision decided",
    "outcome result results reconciled merged combined joint arbitration arbiter arbitrated chosen",
    "selected picked best top first initial last old new previous current revised corrected fixed",
    "cleaned clean raw original silver bronze teacher student stage phase pass step subject expert",
    "experts novice crowd lexicon dictionary keyword regex tagger parser annotation published",
    "moderator editor admin owner author team lead manager default derived inferred computed",
    "imputed guess estimate proxy benchmark official manual review reviewed",
)
#: Ends of words that names of people do not have.
_NO_NAMES_END = ("ated", "ected", "ized", "ised", "ified", "uted", "tion", "sion", "ment", "ness")
#: A word of a column of ids of people, whose rows are one person's answers each.
_PEOPLE_IDS = _PERSON | _set("response responseid student member")
#: A column that stands for one item: q1, Item 3, question_12.
_ITEMS = _set("q i it item items qu question query task example statement sentence")
_WORDS = re.compile(r"[^\W\d_]+|\d+")
#: A kind of person, and which.
_TWO = 2
_SIGNS = re.compile(r"[\s_.:/-]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def usual_among(names: Iterable[str], *, prefix: str = "") -> dict[str, str]:
    """Roles of the columns `prefix` + a usual name, in any case."""
    return named_among(names, USUAL_NAMES, prefix=prefix)


def named_among(
    names: Iterable[str], roles: Mapping[str, Iterable[str]], *, prefix: str = ""
) -> dict[str, str]:
    """The column of each role that has one of its names; of several the first name counts."""
    named = {
        _bare(name.removeprefix(prefix)): name
        for name in reversed(list(names))
        if name.startswith(prefix)
    }
    guesses = {
        role: next((named[bare] for name in usual if (bare := _bare(name)) in named), "")
        for role, usual in roles.items()
    }
    return {role: name for role, name in guesses.items() if name}


def columns_named(columns: Iterable[str], names: Iterable[str]) -> list[str]:
    """All of the columns that have one of these names, in any spelling."""
    known = set(map(_bare, names))
    return [column for column in columns if _bare(column) in known]


def is_person(name: str) -> bool:
    """Return whether the name means the answers of one person, or of one place."""
    words = _words(name)
    if len(words) < _TWO or is_aside(name):
        return False
    numbered = any(word.isdigit() for word in words)
    if _PERSON & set(words) or (numbered and _VOTE & set(words)):
        return True
    return numbered and len(words) == _TWO and words[0] in _PERSON_LETTERS


def names_person(name: str) -> bool:
    """Return whether a word of the name is one for a person, as annotator in target_annotator_1."""
    return bool(_PERSON & set(_words(name)))


def is_aside(name: str) -> bool:
    """Return whether the name means that no person answers in the column."""
    words = set(_words(name))
    if words & _ASKED and not words & _PERSON:
        return True
    return is_no_answer(name) or (bool(words) and words <= _ANSWER)


def may_be_a_name(name: str) -> bool:
    """Return whether a word for a column of nobody's answers is a person's name as well."""
    words = _words(name)
    return len(words) == 1 and words[0] in _PERHAPS_NAMES


def is_outcome(name: str) -> bool:
    """Return whether the name is rather that of a result than of a person."""
    words = [word for word in _words(name) if not word.isdigit()]
    return any(word in _OUTCOMES or word.endswith(_NO_NAMES_END) for word in words)


def is_numbered_question(name: str) -> bool:
    """Return whether the name is a word for a question and a number, as gender_1."""
    words = _words(name)
    return len(words) == _TWO and words[0] in _ASKED and words[1].isdigit()


def is_item(name: str) -> bool:
    """Return whether the name stands for one item by its number, as q1 and Item 3."""
    words = _words(name)
    return len(words) == _TWO and words[0] in _ITEMS and words[1].isdigit()


def may_be_a_letter(name: str) -> bool:
    """Return whether the name of an item is a letter that may stand for a person."""
    return _words(name)[0] in {"i", "it"}


def has_ids_of_people(name: str) -> bool:
    """Return whether the name is that of a column that says who answered."""
    return bool(_PEOPLE_IDS & set(_words(name))) or "worker" in usual_among([name])


def begin_and_rest(name: str) -> tuple[str, str] | None:
    """The first word of a name and the rest, gender and human_1 of gender_human_1; None of one."""
    begin, between, rest = _split(name, last=False)
    return (begin, rest) if between else None


def rest_and_end(name: str) -> tuple[str, str] | None:
    """All of a name but the last word, and that, human_1 and gender of human_1_gender."""
    begin, between, rest = _split(name, last=True)
    return (begin, rest) if between else None


def _split(name: str, *, last: bool) -> tuple[str, bool, str]:
    signs = list(_SIGNS.finditer(name)) or list(_CAMEL.finditer(name))
    inner = [sign for sign in signs if sign.start() and sign.end() < len(name)]
    if not inner:
        return name, False, ""
    at = inner[-1 if last else 0]
    return name[: at.start()], True, name[at.end() :]


def is_no_answer(name: str) -> bool:
    """Return whether the name means a column without answers, one person's or all people's."""
    words = set(_words(name))
    if words & _ASIDE:
        return True
    if words & _ALSO_NAMES:
        return len(words) > 1
    return False


def is_id(name: str) -> bool:
    """Return whether the name means that the column identifies rows."""
    return bool({"id", "qid", "idx", "index", "key", "no", "nr"} & set(_words(name)))


def _words(name: str) -> list[str]:
    return [word.casefold() for word in _WORDS.findall(_CAMEL.sub(" ", name))]


def _bare(name: str) -> str:
    return "".join(filter(str.isalnum, name)).casefold()
