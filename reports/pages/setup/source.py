"""/setup/: where the samples are."""

from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from finops import collection, setup
from reports.pages.setup import hand_on
from reports.pages.setup.frame import frame
from reports.pages.setup.gates import for_admins
from reports.pages.setup.source_form import FIELDS, read, texts


@require_http_methods(["GET", "HEAD", "POST"])
@for_admins
def source(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return _form(request, _before(request.GET.get("trial", "")), {})
    spec, errors = read(request.POST)
    if spec is None:
        return _form(request, request.POST, errors)
    trial = setup.ask(spec, by=request.user.get_username(), now=datetime.now(UTC))
    hand_on.examine(trial)
    return redirect("setup-trial", number=trial.pk)


def _form(request: HttpRequest, values, errors: dict[str, list[str]]) -> HttpResponse:
    fields = [(field, values.get(field.name, ""), errors.get(field.name, [])) for field in FIELDS]
    more = any(value or wrong for _, value, wrong in fields[1:])
    page = {
        **frame(request, "setup-source"),
        "first": fields[0],
        "options": fields[1:],
        "open": more,
        "errors": errors.get("", []),
        "clusters": collection.clusters(),
    }
    return render(request, "setup/source.html", page, status=400 if errors else 200)


def _before(number: str) -> dict[str, str]:
    """The texts of a trial that is to be mended; secrets are not among them, only their names."""
    trial = setup.trial(int(number)) if number.isascii() and number.isdigit() and len(number) < 10 else None
    return texts(trial.source["prometheus"]) if trial else {}
