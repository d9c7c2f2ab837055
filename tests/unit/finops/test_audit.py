"""Who stands in the audit log for programs on the machine itself."""

import pytest

from finops import audit


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["./manage.py", "apply", "finops.yaml"], "manage.py apply by deploy"),
        (["deploy/prepare.py", "6", "23091", "true", ""], "make run by deploy"),
        (["manage.py"], "manage.py by deploy"),
    ],
)
def test_a_program_is_named_by_what_was_typed(arguments: list[str], name: str, monkeypatch) -> None:
    monkeypatch.setattr(audit.getpass, "getuser", lambda: "deploy")
    assert audit.operator(arguments) == name
