"""What of the set-up a person may see, for templates of every page."""

from django import template

from reports import access

register = template.Library()


@register.filter
def is_admin(user) -> bool:
    return access.is_admin(user)


@register.filter
def sees_all(user) -> bool:
    return access.sees_all(user)
