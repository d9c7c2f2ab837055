"""Lengths of time as pages print them."""

from datetime import timedelta


def length(value: timedelta) -> str:
    """40 s · 6 min · 5 h 46 min; no days, whatever it is."""
    seconds = max(0, round(value.total_seconds()))
    if seconds < 90:
        return f"{seconds}\u00a0s"
    minutes = round(seconds / 60)
    hours, rest = divmod(minutes, 60)
    return f"{minutes}\u00a0min" if not hours else f"{hours}\u00a0h" + (f" {rest}\u00a0min" if rest else "")
