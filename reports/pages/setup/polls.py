"""Whether a request is a page's own poll for its moving part."""

from django.http import HttpRequest


def is_poll(request: HttpRequest) -> bool:
    """A link that the script follows wants the page as a whole."""
    return bool(request.headers.get("HX-Request")) and not request.headers.get("HX-Boosted")
