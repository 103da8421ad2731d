"""Kind of a question: its words, and the traits that everything else asks for."""

from dataclasses import dataclass

from metrics.vocabulary import Level

#: Nobody reads more on a phone; split regions and countries over several questions.
MOST_OPTIONS = 50


@dataclass(frozen=True, kw_only=True)
class Kind:
    """Form of a question's answer: one option, several, or free text where there are none.

    How it is asked, read, simulated, compared, decided and written follows from its traits and from
    the question's level. Points are options whose codes are whole numbers in a row.
    """

    #: As schemes store it.
    name: str
    #: What the editor calls the answer.
    words: str
    #: Its place in lists; the first is what a new question has.
    position: int
    #: The levels that such a question may have, the default first.
    levels: tuple[Level, ...] = (Level.NOMINAL,)
    takes_several: bool = False
    has_points: bool = False
    #: Options of a question, and what is wrong with fewer.
    fewest: int = 2
    most: int = MOST_OPTIONS
    too_few: str = ""

    def __str__(self) -> str:
        return self.name

    @property
    def has_options(self) -> bool:
        return self.most > 0

    @property
    def takes_one(self) -> bool:
        """True if an answer is exactly one option."""
        return self.has_options and not self.takes_several
