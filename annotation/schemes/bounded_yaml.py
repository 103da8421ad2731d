"""YAML read node by node, so that neither depth nor number of nodes grows before it is refused.

Scalars are read as text, so that a code `no` stays `no`.
"""

from typing import Any, ClassVar

import yaml


class BoundedLoader(yaml.BaseLoader):
    """Refuses what is nested too deeply or has too many nodes, aliases expanded."""

    deepest: ClassVar[int] = 50
    #: Each counted as often as it is used.
    most_nodes: ClassVar[int] = 10_000
    depth = nodes = 0

    def __init__(self, text: str) -> None:
        super().__init__(text)
        #: How many nodes an anchor stands for, by its name; none while it is still being read.
        self._sizes: dict[str, int] = {}

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        before, name = self.nodes, getattr(event, "anchor", None)
        if isinstance(event, yaml.events.AliasEvent):
            self._count(self._sizes.get(name or "", self.most_nodes + 1), event)
            return super().compose_node(parent, index)
        self.depth += 1
        if self.depth > self.deepest:
            raise yaml.MarkedYAMLError(
                problem="it is nested too deeply", problem_mark=event.start_mark
            )
        self._count(1, event)
        node = super().compose_node(parent, index)
        self.depth -= 1
        if name:
            self._sizes[name] = self.nodes - before
        return node

    def _count(self, nodes: int, event: Any) -> None:
        self.nodes += nodes
        if self.nodes > self.most_nodes:
            raise yaml.MarkedYAMLError(
                problem=f"it has more than {self.most_nodes:,} parts, or a part within itself",
                problem_mark=event.start_mark,
            )
