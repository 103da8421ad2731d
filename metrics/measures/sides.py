"""The two sides of a measure that is a difference of two groups, and which of them is negative."""

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import Any

#: The groups that are compared where a word list has them.
USUAL_SIDES = ("f", "m")
#: What these two are called.
SHOWN = ("female", "male")

#: Names of groups in word lists, of the female and of the male side, by language.
_KNOWN = {
    "en": (
        (
            "f fem female females feminine woman women womens girl girls she her hers lady ladies "
            "mother"
        ),
        "m masc male males masculine man men mens boy boys he him his gentleman gentlemen father",
    ),
    "de": (
        "w weiblich weibliche frau frauen maedchen sie dame damen",
        "maennlich maennliche mann maenner junge jungen er herr herren",
    ),
    "fr": (
        "feminin feminine femme femmes fille filles elle",
        "masculin masculine homme hommes garcon garcons il",
    ),
    "es": (
        "femenino femenina mujer mujeres chica chicas ella",
        "masculino masculina hombre hombres chico chicos el",
    ),
    "it": (
        "femminile donna donne ragazza ragazze lei",
        "maschile uomo uomini ragazzo ragazzi lui",
    ),
    "pt": (
        "feminino feminina mulher mulheres menina meninas ela",
        "masculino masculina homem homens menino meninos ele",
    ),
    "nl": (
        "v vrouw vrouwen vrouwelijk meisje meisjes zij",
        "man mannen mannelijk jongen jongens hij",
    ),
    "sv, da, no": (
        "k kvinna kvinnor kvinnlig kvinde kvinder kvindelig kvinne kvinner flicka pige hon hun",
        "man maen manlig mand maend mandlig mann menn pojke dreng han",
    ),
    "pl": ("k kobieta kobiety zenski dziewczyna ona", "m mezczyzna mezczyzni meski chlopiec on"),
    "tr": ("kadin kadinlar kiz", "erkek erkekler oglan"),
    "fi": ("nainen naiset tytto", "mies miehet poika"),
}
_SIDES = {
    language: (frozenset(female.split()), frozenset(male.split()) | {"m"})
    for language, (female, male) in _KNOWN.items()
}


def known_sides(groups: Sequence[str]) -> tuple[str, str] | None:
    """The female and the male one of two groups, by their names; None where these do not tell.

    >>> known_sides(["men", "women"]), known_sides(["group_er", "group_sie"]), known_sides("ab")
    (('women', 'men'), ('group_sie', 'group_er'), None)
    """
    pairs = {
        (first, second)
        for first, second in permutations(groups, len(USUAL_SIDES))
        for female, male in _SIDES.values()
        if female.intersection(_own_parts(first, second))
        and male.intersection(_own_parts(second, first))
    }
    return pairs.pop() if len(pairs) == 1 else None


def _own_parts(name: str, other: str) -> set[str]:
    """The words of a name such as `words_f` that the other one has not."""
    return set(name.split("_")) - set(other.split("_"))


def sides_of(groups: Sequence[str]) -> tuple[str, str] | None:
    """The two groups that are compared where none are named, the negative side first.

    `f` and `m` where a word list has them; else its only two groups, the female one first where
    their names tell, and as they are sorted where they do not. None where it has other ones.
    """
    if set(USUAL_SIDES) <= set(groups):
        return USUAL_SIDES
    if len(groups) != len(USUAL_SIDES):
        return None
    return known_sides(groups) or (groups[0], groups[1])


def named_sides(female: str, male: str, groups: Sequence[str]) -> tuple[str, str]:
    """The two sides as they were named; `sides_of` the groups for the defaults."""
    return (sides_of(groups) or USUAL_SIDES) if (female, male) == USUAL_SIDES else (female, male)


def shown_sides(params: Mapping[str, Any], groups: Sequence[str]) -> tuple[str, str]:
    """The names of the two sides in columns: those of the groups, for `f` and `m` in full."""
    sides = named_sides(params["female"], params["male"], groups)
    return SHOWN if sides == USUAL_SIDES else sides
