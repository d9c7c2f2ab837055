"""EMAIL_URL: what each form means."""

import pytest

from finops.environment.mail import mail


@pytest.mark.parametrize(
    ("url", "host", "port", "tls", "ssl"),
    [
        ("smtp://mail", "mail", 25, False, False),
        ("smtp://mail:1025", "mail", 1025, False, False),
        ("smtp://u:p@mail", "mail", 587, True, False),
        ("smtp://u:p@mail:2525?starttls=no", "mail", 2525, False, False),
        ("smtp://mail?starttls=yes", "mail", 587, True, False),
        ("smtps://u:p@mail", "mail", 465, False, True),
    ],
)
def test_a_password_does_not_travel_in_the_clear_unless_told_to(url, host, port, tls, ssl):
    found = mail(url, name="EMAIL_URL")
    assert (found.host, found.port, found.use_tls, found.use_ssl) == (host, port, tls, ssl)
    assert found.backend == "django.core.mail.backends.smtp.EmailBackend"


def test_user_password_and_sender():
    found = mail("smtps://u%40example.com:p%3Aw@mail?from=costs@example.com", name="EMAIL_URL")
    assert (found.user, found.password, found.sender) == ("u@example.com", "p:w", "costs@example.com")


def test_a_folder():
    found = mail("file:///var/mail/a%20b", name="EMAIL_URL")
    assert (found.backend, found.folder) == ("django.core.mail.backends.filebased.EmailBackend", "/var/mail/a b")
