"""Who may log in, and whose session goes on."""

from django.contrib.auth.backends import ModelBackend

from reports import demo


class People(ModelBackend):
    """Django's own, save that demo accounts are refused with DEBUG off: at log-in, and at each request of a session."""

    def user_can_authenticate(self, user) -> bool:
        return super().user_can_authenticate(user) and not demo.refused(user)
