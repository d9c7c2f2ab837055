"""The OpenAPI document: kept as it is made, served to who may, and read by people."""

import re

import pytest
import yaml
from drf_spectacular.generators import SchemaGenerator

from reports.api.kept import FILE
from reports.urls import urlpatterns

PAGES = ("/api/v1/docs",)


def test_the_kept_document_is_the_one_that_is_made():
    """After a change: `manage.py spectacular --file reports/api/openapi.yaml`."""
    made = SchemaGenerator().get_schema(request=None, public=True)
    assert made == yaml.safe_load(FILE.read_text())


def test_every_address_stands_in_it():
    document = yaml.safe_load(FILE.read_text())
    addresses = {"/" + re.sub("<.*?:(.*?)>", r"{\1}", str(pattern.pattern)) for pattern in urlpatterns if str(pattern.pattern).startswith("api/v1/")}
    assert len(addresses) > 6
    assert addresses - set(document["paths"]) <= set(PAGES)


@pytest.mark.django_db
def test_it_is_served_with_its_own_address(client, bearer, lead):
    assert client.get("/api/v1/schema").status_code == 401
    answer = client.get("/api/v1/schema", headers=bearer(lead, "read"))
    assert answer.headers["Content-Type"] == "application/vnd.oai.openapi+json"
    assert answer.json()["servers"] == [{"url": "http://testserver"}]
    assert "/api/v1/costs" in answer.json()["paths"]


@pytest.mark.django_db
def test_the_page_names_every_address_and_nothing_inline(client, lead):
    assert client.get("/api/v1/docs").status_code == 302
    client.force_login(lead)
    page = client.get("/api/v1/docs").content.decode()
    for path in yaml.safe_load(FILE.read_text())["paths"]:
        assert f"<code>{path}</code>" in page
    assert "<code>exclude.team</code>" in page and "rows[].distributed_cost" in page and "<em>or</em>" in page
    assert not re.search(r"<script(?![^>]*src=)|style=|<style|\son\w+=", page)
