"""What is said of one kind of fault, wherever it is found."""

from collections.abc import Mapping
from dataclasses import dataclass
from string import Template
from typing import Literal

Level = Literal["fault", "warn", "note"]


@dataclass(frozen=True, slots=True)
class Kind:
    """`meaning`: what it does to the figures; `cure`: the exact line of configuration, with $names of the finding's evidence.

    `level`: fault where hours or money are wrong, missing or somebody else's until it is mended; warn where they are less exact;
    note where no figure changes. `wrong`: whether figures of the hours it touches are wrong rather than incomplete.
    """

    name: str
    title: str
    meaning: str
    cure: str
    level: Level = "warn"
    wrong: bool = False

    def cure_for(self, evidence: Mapping[str, object]) -> str:
        """The line with what the evidence tells in place of its $names; what it does not tell is spelled out as that name."""
        told = {name: str(value) for name, value in evidence.items() if isinstance(value, str | int | float) and value != ""}
        return Template(self.cure).safe_substitute(_Named(told))


class _Named(dict[str, str]):
    def __missing__(self, name: str) -> str:
        return f"the {name.replace('_', ' ')}"
