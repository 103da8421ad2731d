"""All pairs, or a sample of them: how often each is tried, and what was found."""

import itertools
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.site.pairs.acts import SET_UP_AGAIN_AND_PAY, Act, acts
from tests.site.pairs.gate import Plan
from tests.site.pairs.trials import Outcome, Trials
from tests.site.pairs.world import World, a_world

#: How often a pair is tried: both write money, any other one, and the first race that was seen.
BOTH_WRITE_MONEY, ANY_OTHER, THE_FIRST_RACE = 100, 5, 1_000
_FIRST_RACE = frozenset({"pay bonuses", SET_UP_AGAIN_AND_PAY.name})
#: Races that were seen: in every sample, and more often than others.
KNOWN = (
    _FIRST_RACE,
    frozenset({"read study", "add places"}),
    frozenset({"publish study"}),
    frozenset({"add places"}),
    frozenset({"pay bonuses", "set up bonuses"}),
    frozenset({"begin adaptive"}),
)
_KNOWN_IN_A_SAMPLE = 12
#: Share of the trials in which both go on at once, as it happens.
_TOGETHER = 0.25


@dataclass
class Tried:
    """Counts for the report, and what was found."""

    trials: int = 0
    held: int = 0
    found: list[str] = field(default_factory=list)
    by_pair: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)


class Pairs:
    """The pairs of all acts in a world, tried one after another."""

    def __init__(self, world: World, seed: int) -> None:
        self._trials = Trials(world)
        self._random = random.Random(seed)
        self._points: dict[tuple[str, str], int] = {}
        self._money: dict[str, bool] = {}
        self.tried = Tried()

    def close(self) -> None:
        self._trials.close()

    def alone(self, act: Act) -> None:
        """The act alone, once: it has to be done, else its fixture tries nothing."""
        if act.name in self._money:
            return
        outcome = self._trials.alone(act, act.stages[0])
        self._money[act.name] = act.spends or outcome.writes_money[0]
        self._points[act.name, act.stages[0]] = outcome.points[0]
        if outcome.said[0] != "done":
            outcome.breaches.append("its fixture tries nothing")
        self._judge(f"{act.name} alone, {act.stages[0]}", outcome)

    def size(self, first: Act, other: Act) -> int:
        if {first.name, other.name} == _FIRST_RACE:
            return THE_FIRST_RACE
        both = self._money[first.name] and self._money[other.name]
        return BOTH_WRITE_MONEY if both else ANY_OTHER

    def try_once(self, first: Act, other: Act, number: int) -> None:
        """One trial of the pair. Each in turn is held at each of its points until the other ends.

        Then it is drawn where one is held, and until which point of the other.
        """
        stages = [one for one in first.stages if one in other.stages]
        stages = stages or [first.stages[0], other.stages[0]]
        stage = stages[0] if number % 3 else stages[number // 3 % len(stages)]
        points = [
            self._points.get((act.name, stage)) or self._points[act.name, act.stages[0]]
            for act in (first, other)
        ]
        plan = _plan(points, number, self._random)
        outcome = self._trials.at_once(first, other, stage, plan)
        for act, n in zip((first, other), outcome.points, strict=True):
            self._points[act.name, stage] = max(n, self._points.get((act.name, stage), 1))
        name = _name((first, other))
        self.tried.held += outcome.was_held
        self.tried.by_pair[name] += 1
        self._judge(f"{name}, {stage}, {plan}", outcome)

    def _judge(self, what: str, outcome: Outcome) -> None:
        self.tried.trials += 1
        if outcome.breaches:
            self.tried.broken[what.partition(",")[0]] += 1
            self.tried.found.append(
                "\n    ".join((what, *(f"({one})" for one in outcome.said), *outcome.breaches))
            )
            _say(self.tried.found[-1])


def run(
    folder: Path,
    *,
    seed: int,
    until: float | None,
    only: Sequence[str],
    trials: int | None,
    share: tuple[int, int],
    without: Collection[str],
) -> int:
    """Try them, say what was tried and found; 0 where all holds."""
    begun = time.monotonic()
    with a_world(folder) as world:
        pairs = Pairs(world, seed)
        try:
            every = acts()
            chosen = [
                pair
                for pair in _pairs(every)
                if Counter(only) <= Counter(act.name for act in pair) and _name(pair) not in without
            ]
            _say(f"{len(every)} acts, {len(chosen)} pairs; the world took "
                 f"{time.monotonic() - begun:.0f} s")  # fmt: skip
            order = (
                _sample(chosen, seed)
                if until
                else _all(pairs, chosen[share[0] :: share[1]], trials)
            )
            for number, (first, other) in order:
                pairs.alone(first)
                pairs.alone(other)
                pairs.try_once(first, other, number)
                if until and time.monotonic() > until:
                    break
        finally:
            pairs.close()
    _report(pairs.tried, time.monotonic() - begun)
    return int(bool(pairs.tried.found))


def tried_before(output: Path) -> list[str]:
    """The pairs of which this output of an earlier run says that nothing was broken."""
    return re.findall(r"^ *\d+ (.+ \+ .+): 0 broken, ", output.read_text(), re.MULTILINE)


def _name(pair: tuple[Act, Act]) -> str:
    return f"{pair[0].name} + {pair[1].name}"


def _plan(points: Sequence[int], number: int, chance: random.Random) -> Plan:
    """The `number`-th plan for two acts with so many points; a few trials are spread over all."""
    n = points[0] + points[1]
    if number < n:
        step = number if number >= ANY_OTHER else chance.randrange(n)
        return Plan(0, step + 1) if step < points[0] else Plan(1, step - points[0] + 1)
    held = chance.randrange(2)
    at, until = (chance.randint(1, max(1, points[who])) for who in (held, 1 - held))
    return Plan(held, at, until, together=chance.random() < _TOGETHER)


def _pairs(every: Sequence[Act]) -> list[tuple[Act, Act]]:
    return list(itertools.combinations_with_replacement(every, 2))


def _all(
    pairs: Pairs, chosen: Sequence[tuple[Act, Act]], trials: int | None
) -> Iterator[tuple[int, tuple[Act, Act]]]:
    for pair in chosen:
        for act in pair:
            pairs.alone(act)
        begun, before = time.monotonic(), sum(pairs.tried.broken.values())
        n = trials or pairs.size(*pair)
        yield from ((number, pair) for number in range(n))
        broken = sum(pairs.tried.broken.values()) - before
        _say(f"{n:5} {_name(pair)}: {broken} broken, {time.monotonic() - begun:.1f} s")


def _sample(chosen: Sequence[tuple[Act, Act]], seed: int) -> Iterator[tuple[int, tuple[Act, Act]]]:
    """The races that were seen first, then others in an order drawn by the seed."""
    known = [one for one in chosen if frozenset(act.name for act in one) in KNOWN]
    for number in range(_KNOWN_IN_A_SAMPLE):
        yield from ((number, one) for one in known)
    drawn = random.Random(seed).sample(list(chosen), len(chosen))
    for number in itertools.count():
        yield from ((number, one) for one in drawn)


def _report(tried: Tried, seconds: float) -> None:
    for what, n in tried.broken.most_common():
        _say(f"BROKEN {n} of {tried.by_pair[what] or 1}: {what}")
    _say(
        f"{tried.trials:,} trials of {len(tried.by_pair):,} pairs in {seconds:.0f} s, "
        f"{tried.held:,} held between check and write: {len(tried.found)} findings"
    )


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
