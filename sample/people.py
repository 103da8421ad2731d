"""The people of the sample's scenes: names, towns, and the words that follow from a gender."""

from random import Random

WOMEN = (
    "Aisha", "Amara", "Anneli", "Beatriz", "Carmen", "Chiara", "Dagny", "Elena", "Fatima", "Grace",
    "Hana", "Ingrid", "Ioana", "Jasmin", "Keiko", "Leila", "Marta", "Mei", "Nadia", "Noor",
    "Olga", "Paloma", "Priya", "Rosa", "Sigrid", "Teresa", "Ursula", "Wanjiru", "Yara", "Zofia",
)  # fmt: skip
MEN = (
    "Ahmed", "Andrei", "Arjun", "Bogdan", "Carlos", "Dmitri", "Emeka", "Felix", "Georg", "Hassan",
    "Henrik", "Hiroshi", "Ivan", "Jakob", "Kofi", "Lorenzo", "Mateo", "Moritz", "Nils", "Omar",
    "Paolo", "Piotr", "Rafael", "Samir", "Stefan", "Tomas", "Viktor", "Wei", "Yusuf", "Zoltan",
)  # fmt: skip
TOWNS = (
    "Aarhus", "Arequipa", "Bergen", "Bratislava", "Cork", "Dakar", "Debrecen", "Dundee",
    "Fremantle", "Galway", "Ghent", "Halifax", "Innsbruck", "Izmir", "Kandy", "Kisumu", "Leeds",
    "Linz", "Lublin", "Mysore", "Nantes", "Oulu", "Porto", "Quito", "Salta", "Sapporo", "Tampere",
    "Trieste", "Turin", "Windhoek",
)  # fmt: skip

_ROLES = {
    "f": {
        "he": "she", "him": "her", "his": "her", "himself": "herself", "man": "woman",
        "boy": "girl", "father": "mother", "grandfather": "grandmother", "son": "daughter",
        "brother": "sister",
    },
    "m": {
        "he": "he", "him": "him", "his": "his", "himself": "himself", "man": "man",
        "boy": "boy", "father": "father", "grandfather": "grandfather", "son": "son",
        "brother": "brother",
    },
}  # fmt: skip


def cast(scene: str, gender: str, town: str, random: Random) -> str:
    """The scene with its markers filled in for one person of `gender` (`f` or `m`).

    `{Name}`, `{he}`, `{him}`, `{his}`, `{himself}` and the nouns follow the gender; `{HerName}`
    and `{HisName}` name a woman and a man whatever it is.
    """
    woman, man = random.choice(WOMEN), random.choice(MEN)
    return scene.format_map(
        _ROLES[gender]
        | {"Name": {"f": woman, "m": man}[gender], "town": town, "HerName": woman, "HisName": man}
    )
