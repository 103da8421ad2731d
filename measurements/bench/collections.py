"""Collections for the benchmarks: generated English-like passages with natural token statistics.

Ranks of words follow Zipf's law; the first words are the commonest of English with their usual
lengths, the long tail is built of English syllables, some of it beginning like gender words
("health", "manage", "summer"), which is what a fast scan has to tell apart. Gender words are 1.5 %
of the tokens. A part of the words is capitalised or carries punctuation, one passage in eight holds
characters outside ASCII, one in a thousand is empty. Bodies repeat after 200,000 passages.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from metrics.texts.lexicon import read_lexicon

BODIES = 200_000
_WORDS_PER_PASSAGE = 56
_GENDER_SHARE = 0.015
_COMMON = """
the of and to a in is for that it on are as with or be by this from at an can you which your
have not was if more will one has but all may when also about other they there than their use
its two out so up what time some most these into any no many only first over such do used after
how would each between where who does new been through because per like should years water
should see
""".split()  # noqa: SIM905 - words read best as words
_LOOK_ALIKES = """
health help here hero held shell shed sheet made make man-made manage many main management
manner himalaya history hill high hit mother-in-law mothering summer sunday son-in-law song
sisterly singing sirens lady-like ladder woman's womanhood girlish galaxy gas father's fatherly
brotherhood broth boy-band boycott daddy dashboard menu mend mental momentum moment malely guys'
""".split()  # noqa: SIM905 - words read best as words
_SYLLABLES = """
an ber con der en fer gra hil in jus ken lat men nor op pre qui ras ser tan un ver wil ex yon
zel tion ment ing ed ly er est ous ive al ic ist able ness ship ful less ward age dom ish
""".split()  # noqa: SIM905 - words read best as words
_FOREIGN = [
    "café",
    "naïve",
    "“quoted”",
    "it’s",
    "Müller",
    "—",
    "1990–2000",
    "°C",
    "東京",
    "Ångström",
]


def bodies(count: int, *, seed: int = 1) -> list[bytes]:
    """Texts of passages, of about 344 bytes each."""
    rng = np.random.default_rng(seed)
    vocabulary = np.array(_vocabulary(rng), dtype=object)
    frequency = 1 / (np.arange(len(vocabulary)) + 2.7)
    frequency[: len(_COMMON)] *= 1.6
    cumulative = np.cumsum(frequency / frequency.sum())
    gender = np.array([word for words in read_lexicon().words for word in words], dtype=object)
    return [_passage(rng, vocabulary, cumulative, gender) for _ in range(count)]


def _vocabulary(rng: np.random.Generator) -> list[str]:
    rare = {"".join(rng.choice(_SYLLABLES, size=size)) for size in rng.integers(1, 4, size=40_000)}
    tail = sorted(rare) + _LOOK_ALIKES * 2
    rng.shuffle(tail)
    return _COMMON + tail


def _passage(
    rng: np.random.Generator,
    vocabulary: NDArray[np.object_],
    cumulative: NDArray[np.float64],
    gender: NDArray[np.object_],
) -> bytes:
    if rng.random() < 0.001:
        return b""
    size = max(3, int(rng.normal(_WORDS_PER_PASSAGE, 14)))
    words = vocabulary[np.searchsorted(cumulative, rng.random(size))]
    named = rng.random(size) < _GENDER_SHARE
    words[named] = rng.choice(gender, size=int(named.sum()))
    for place in np.flatnonzero(rng.random(size) < 0.13):
        words[place] += ",.,.;:?)"[rng.integers(8)]
    for place in np.flatnonzero(rng.random(size) < 0.11):
        words[place] = words[place].capitalize()
    if rng.random() < 0.125:
        words[rng.integers(size)] = _FOREIGN[rng.integers(len(_FOREIGN))]
    words[-1] += "."
    return str(" ".join(words)).encode()


def passages(count: int, texts: list[bytes]) -> Iterator[bytes]:
    """Lines `docno<TAB>text` with the docnos 0, 1, 2 ... as in MS MARCO, in blocks."""
    for start in range(0, count, len(texts)):
        block = texts[: min(len(texts), count - start)]
        yield b"".join(b"%d\t%s\n" % (start + i, text) for i, text in enumerate(block))


def write_tsv(path: Path, count: int, texts: list[bytes]) -> Path:
    with path.open("wb") as file:
        for block in passages(count, texts):
            file.write(block)
    return path
