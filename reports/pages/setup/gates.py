"""Who may set the product up, and who may watch it collect."""

from collections.abc import Callable
from functools import wraps

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control

from reports.access import is_admin, sees_all
from reports.pages.setup.frame import frame

View = Callable[..., HttpResponse]


def for_admins(view: View) -> View:
    """Pages that change what everybody sees."""
    return _gate(view, is_admin, "Only an admin may change the set-up. Ask whoever administers this installation.")


def for_those_who_see_all(view: View) -> View:
    """Pages that name every cluster, its source and its problems."""
    return _gate(view, sees_all, "This page shows every cluster; your log-in shows your teams only.")


def _gate(view: View, may: Callable, why: str) -> View:
    @wraps(view)
    @cache_control(private=True, no_store=True)
    @login_required
    def gated(request: HttpRequest, *args, **kwargs) -> HttpResponse:
        if may(request.user):
            return view(request, *args, **kwargs)
        return render(request, "setup/forbidden.html", {**frame(request, ""), "refused": why}, status=403)

    return gated
