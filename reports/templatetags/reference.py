"""Words of the API's reference as HTML: what stands in back ticks is code, what in stars stands out."""

import re

from django import template
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.filter
def code(text: str) -> SafeString:
    """Escaped first; only the marks become tags."""
    marked = re.sub(r"`([^`]*)`", r"<code>\1</code>", conditional_escape(text))
    return mark_safe(re.sub(r"\*(\w+)\*", r"<em>\1</em>", marked))
