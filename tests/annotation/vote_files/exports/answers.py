"""The answers in the files beside this one: twelve queries, three people, a model."""

NONE, FEMALE, MALE = "Non-gendered", "Female", "Male"
OTHER, CANNOT_TELL = "Other or multiple genders", "I cannot tell"
CODES = {NONE: "n", FEMALE: "f", MALE: "m", OTHER: "o", CANNOT_TELL: "u"}

QUERIES = {
    "1001": "how to become an extra in a film",
    "1002": "is a ewe a female sheep",
    "1003": "first king of spain",
    "1004": "why do women outlive men",
    "1005": "what do midwives earn",
    "1006": "size of a men's shoe, in inches",
    "1007": "how old is the queen's house",
    "1008": "what is rain",
    "1009": "can a girl be named <Sam>",
    "1010": "father of modern chemistry",
    "1011": "café open near me 🙂",
    "1012": "who is pat",
}
#: By person, in the order of the queries; "-" was skipped.
ANSWERS = {"ann": "nfmonmfnfmnu", "bob": "nfmofmnnfmnn", "cem": "nfmfnmfnomn-"}
MODEL = "nfmofmfnfmnn"
SCORES = (0.99, 0.93, 0.97, 0.71, 0.55, 0.9, 0.8, 0.98, 0.75, 0.6, 0.95, 0.5)
SECONDS = tuple(round(4 + 1.25 * number, 2) for number in range(12))


def expected() -> set[tuple[str, str, str]]:
    """Query, person and category of each vote; "u" for "I cannot tell"."""
    return {
        (qid, person, code)
        for person, codes in ANSWERS.items()
        for qid, code in zip(QUERIES, codes, strict=True)
        if code != "-"
    }
