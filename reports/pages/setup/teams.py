"""/setup/teams: whose the GPU time is, tried on the last collected day before it is saved."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from finops import collected_day, queries, setup
from finops.accounting.candidates import Held, candidates, split
from finops.accounting.ownership import UNASSIGNED, sanitised
from finops.export import configuration
from finops.scope import Refused, Window
from reports.pages.dates import span
from reports.pages.setup import hand_on, team_rules
from reports.pages.setup.frame import frame
from reports.pages.setup.gates import for_admins
from reports.templatetags.figures import HOURS, apportioned

LABELS, VALUES, SPACES, TEAMS = 12, 5, 10, 50


@require_http_methods(["GET", "HEAD", "POST"])
@for_admins
def teams(request: HttpRequest) -> HttpResponse:
    saved = [team_rules.entry(rule) for rule in configuration(now=datetime.now(UTC)).teams or ()]
    if request.method != "POST":
        return _page(request, saved, saved, "")
    posted, deed = request.POST.getlist("rule"), request.POST.get("do", "")
    wanted = team_rules.changed(posted, deed, request.POST)
    try:
        rules = team_rules.read(wanted)
    except Refused as refused:
        return _page(request, posted, saved, str(refused))
    if deed != "save":
        return _page(request, [team_rules.entry(rule) for rule in rules], saved, "")
    changes = setup.save_teams(rules, by=request.user.get_username(), now=datetime.now(UTC))
    hand_on.plan()
    messages.success(request, "Saved; the hours collected so far are being accounted again." if changes else "Nothing had changed.")
    return redirect("setup-teams")


def _page(request: HttpRequest, entries: list[str], saved: list[str], refused: str) -> HttpResponse:
    try:
        rules = team_rules.read(entries)
    except Refused as again:
        rules, entries, refused = team_rules.read(saved), saved, refused or str(again)
    page = {
        **frame(request, "setup-teams"),
        "rules": [{"entry": text, "words": team_rules.words(rule)} for text, rule in zip(entries, rules, strict=True)],
        "changed": entries != saved,
        "wrong": refused,
        "posted": {name: request.POST.get(name, "") for name in ("namespace", "team", "label")} if refused else {},
    }
    window = collected_day.day()
    if window:
        page |= _preview(rules, window)
    return render(request, "setup/teams.html", page, status=400 if refused else 200)


def _preview(rules, window: Window) -> dict[str, object]:
    """What the rules would make of the day, and the labels that are still to be had."""
    pods, at = collected_day.held(window), window.end - timedelta(seconds=1)
    found = split(pods, team_rules.as_applied(rules), at=at)
    sizes = {name: sum(spaces.values(), Decimal(0)) for name, spaces in found.items()}
    order = sorted(sizes, key=lambda name: (name == UNASSIGNED, -sizes[name], name))
    whole = sum(sizes.values(), Decimal(0))
    printed = apportioned([sizes[name] for name in order], whole, HOURS)
    rows = [
        {"team": name, "hours": hours, "unassigned": name == UNASSIGNED, "spaces": ", ".join(sorted(found[name])[:3]), "more": max(0, len(found[name]) - 3)}
        for name, hours in zip(order, printed, strict=True)
    ]
    return {
        "day": span(window, queries.zone()),
        "split": [row for row in rows if not row["unassigned"]][:TEAMS] + [row for row in rows if row["unassigned"]],
        "hidden": max(0, len([row for row in rows if not row["unassigned"]]) - TEAMS),
        "teams": len(order) - (UNASSIGNED in sizes),
        "whole": whole,
        "unassigned": dict(zip(order, printed, strict=True)).get(UNASSIGNED, Decimal(0)),
        "spaces": _spaces(found.get(UNASSIGNED, {})),
        "candidates": _candidates(pods, {(rule.kind, sanitised(rule.label or "")) for rule in rules}),
        "pods": len(pods),
    }


def _spaces(spaces: dict[str, Decimal]) -> list[dict[str, object]]:
    """Namespaces nobody has yet, most GPU time first."""
    order = sorted(spaces, key=lambda name: (-spaces[name], name))[:SPACES]
    return [{"name": name, "hours": spaces[name], "entry": team_rules.named_after(name)} for name in order]


def _candidates(pods: list[Held], chosen: set[tuple[str, str]]) -> list[dict[str, object]]:
    """`chosen`: kind and label of the rules that are there; a label is the same however it is spelled."""
    rows = []
    for row in candidates(pods)[:LABELS]:
        text = team_rules.candidate(row.kind, row.label)
        rows.append(
            {
                "kind": team_rules.FROM[row.kind],
                "label": row.label,
                "pods": row.pods,
                "hours": row.size,
                "values": ", ".join(row.values[:VALUES]),
                "more": max(0, len(row.values) - VALUES),
                "entry": text,
                "chosen": (row.kind, sanitised(row.label)) in chosen,
            }
        )
    return rows
