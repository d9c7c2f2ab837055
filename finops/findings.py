"""What a check has to say, with its evidence."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Finding:
    """`kind` names the rule, `subject` what it is about; evidence holds plain values; `teams` are those whose pods it names."""

    kind: str
    subject: str
    message: str
    evidence: dict[str, object] = field(default_factory=dict)
    teams: tuple[str, ...] = ()
