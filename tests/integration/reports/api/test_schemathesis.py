"""The API asked what its schema allows and much besides: no failure of the server, no answer that the schema does not know.

That every question which fits the schema is answered is not asked for: a window has two ends, and an order OpenAPI cannot state.
"""

import os
from datetime import UTC, datetime, timedelta

import pytest
import schemathesis
from django.contrib.auth.models import Group, User
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance

from finops.wsgi import application
from reports.api import throttle
from reports.api.kept import document
from reports.models import ApiToken

EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "5"))  # of each address and method; more by hand
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
SCHEMA = schemathesis.openapi.from_dict(document())
SCHEMA.app = application
PATHS = sorted((path, method) for path, methods in document()["paths"].items() for method in methods)


@pytest.fixture
def kept_connection():
    """The server's own end of a request would close the connection whose transaction the test is."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.django_db
@pytest.mark.parametrize(("path", "method"), PATHS)
def test_nothing_is_found(path, method, one_day, kept_connection, monkeypatch):
    monkeypatch.setitem(throttle.RATES, "read", "100000/min")
    person = User.objects.create_user("quentin")
    person.groups.add(Group.objects.create(name="finance"))
    token = ApiToken.issue(person, scopes=["read"], expires=datetime.now(UTC) + timedelta(hours=1))

    @_given(SCHEMA[path][method])
    def ask(case):
        case.call_and_validate(headers={"Authorization": f"Bearer {token}"}, checks=CHECKS)

    ask()


def _given(operation):
    def decorate(test):
        bounded = settings(
            max_examples=EXAMPLES, deadline=None, derandomize=True, phases=[Phase.explicit, Phase.generate], database=None,
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        return bounded(given(case=operation.as_strategy())(test))

    return decorate
