"""Who works at the demo company: teams, people, cost centres, budgets."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Team:
    """`budget` in CHF a month; `quota` in V100 cards of its Kueue queue, 0 without one."""

    name: str
    department: str
    cost_center: str
    lead: str
    budget: int
    quota: int
    people: tuple[str, ...]


TEAMS = (
    Team(
        "fraud",
        "risk",
        "4720",
        "S. Brunner",
        12000,
        20,
        ("mkeller", "tschmid", "lrossi", "sbrunner", "dhofer", "agerber", "pmeier", "jfrei", "nkaya"),
    ),  # fmt: skip
    Team("scoring", "risk", "4710", "R. Huber", 6350, 6, ("rhuber", "cweber", "lmoser", "fbaumann", "ezimmer", "ysuter")),
    Team("vision", "operations", "5310", "I. Steiner", 4050, 3, ("isteiner", "kgraf", "mroth", "vlanz", "omarti")),
    Team("nlp", "digital", "6120", "T. Wyss", 2550, 1, ("twyss", "hkunz", "bfischer", "avogel")),
    Team("claims", "operations", "5320", "M. Odermatt", 1620, 1, ("modermatt", "gbieri", "sarnold", "ukoch")),
    Team("search", "digital", "6110", "C. Ackermann", 1490, 0, ("cackermann", "rjost", "dbuehler", "lfrick")),
    Team("pricing", "risk", "4730", "B. Egli", 820, 1, ("begli", "mstucki", "pwidmer")),
    Team("platform", "technology", "7010", "A. Meier", 400, 0, ("ameier", "jlang", "sblaser")),
)
WITHOUT_TEAM = ("trainee1", "trainee2")
TEAM_LABEL, USER_LABEL = "example.com/team", "example.com/user"
NAMESPACE_TEAMS = {
    "scoring": "scoring", "claims": "claims", "search": "search", "platform": "platform",
    "fraud-train": "", "fraud-lab": "", "fraud-serving": "", "research": "", "inference": "", "sandbox": "",
}  # fmt: skip


def people() -> list[str]:
    """Everybody, trainees too."""
    return [person for team in TEAMS for person in team.people] + list(WITHOUT_TEAM)
