"""BASE_PATH: with the prefix taken off before us or not, the same page."""

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from finops.prefix import BasePath


@pytest.mark.parametrize(
    ("path", "looked_up"),
    [("/gpu/login/", "/login/"), ("/login/", "/login/"), ("/gpu", "/"), ("/gpu/", "/"), ("/gpus/", "/gpus/"), ("/", "/")],
)
def test_the_prefix_comes_off_once(settings, path, looked_up):
    settings.FORCE_SCRIPT_NAME = "/gpu"
    found = []
    BasePath(lambda request: found.append(request) or HttpResponse())(RequestFactory().get(path))
    assert (found[0].path_info, found[0].path) == (looked_up, f"/gpu{looked_up}")


def test_without_a_prefix_nothing_happens(settings):
    settings.FORCE_SCRIPT_NAME = None
    found = []
    BasePath(lambda request: found.append(request) or HttpResponse())(RequestFactory().get("/gpu/login/"))
    assert found[0].path_info == "/gpu/login/"
