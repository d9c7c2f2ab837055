"""The make above us: one that gets INT or HUP alone waits for its recipe and does not pass the signal on."""

import os
import signal
from pathlib import Path

PASSED_OVER = (signal.SIGINT, signal.SIGHUP)


class Make:
    """Told by /proc, elsewhere never: once it is ending, make no longer catches the signal it got."""

    def __init__(self) -> None:
        self._pid = os.getppid()
        self._caught = _caught(self._pid) if _name(self._pid) in ("make", "gmake") else 0

    def ending(self) -> bool:
        return bool(self._caught) and (os.getppid() != self._pid or bool(self._caught & ~_caught(self._pid)))


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def _caught(pid: int) -> int:
    """Which of the two it catches, as bits; see proc(5), SigCgt."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    mask = int(status.partition("SigCgt:")[2].split()[0], 16)
    return mask & sum(1 << (number - 1) for number in PASSED_OVER)
