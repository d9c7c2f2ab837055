"""Processes that live and die together, and the signals that end them."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
PATIENCE = 10.0  # seconds between TERM and KILL

LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class Stopped(BaseException):
    """A signal asked us to end."""


class Failed(Exception):
    """Something ended that should not have; the message is one line."""


class Signals:
    """INT, TERM and HUP raise Stopped, once; while a child is being born they wait until it is known."""

    def __init__(self) -> None:
        self._held = self._asked = False
        for number in SIGNALS:
            signal.signal(number, self._stop)  # also where it was inherited as ignored

    def _stop(self, _number: int, _frame: object) -> None:
        self._asked = True
        if not self._held:
            self._raise()

    def _raise(self) -> None:
        self.ignore()
        raise Stopped

    def ignore(self) -> None:
        """From now on: whoever is ending already is not asked twice."""
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self._asked:
            self._raise()


def _end_with_the_supervisor() -> None:
    """Where the supervisor is killed outright, Linux ends its children for it (prctl(2), PR_SET_PDEATHSIG)."""
    if LIBC is not None:
        LIBC.prctl(1, signal.SIGTERM)


class Children:
    """Each in a session of its own: the terminal's Ctrl-C reaches the supervisor alone."""

    def __init__(self, signals: Signals) -> None:
        self._signals = signals
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, *arguments: str, more: Mapping[str, str] | None = None, open_files: Sequence[int] = ()) -> None:
        """A Python process in the project's folder; `more` is added to its environment."""
        with self._signals.held():
            self._running[name] = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=ROOT,
                env={**os.environ, **(more or {})},
                start_new_session=True,
                pass_fds=open_files,
                preexec_fn=_end_with_the_supervisor,
            )

    def answer(self, script: str, *arguments: str) -> str:
        """Runs a script to its end; what it wrote into the descriptor that is its first argument. Raises Failed."""
        readable, writable = os.pipe()
        try:
            self.start(script, script, str(writable), *arguments, open_files=(writable,))
        finally:
            os.close(writable)
        with open(readable) as answer:
            written = answer.read()
        code = self._running[script].wait()
        del self._running[script]
        if code:
            raise Failed(f"{script} ended with {code}")
        return written

    def ended(self, name: str) -> bool:
        """Whether this one, which may end, has ended well; it is forgotten then."""
        child = self._running.get(name)
        if child is None or child.poll() != 0:
            return False
        del self._running[name]
        return True

    def check(self) -> None:
        """One child's end is everybody's end."""
        for name, child in self._running.items():
            if child.poll() is not None:
                raise Failed(f"{name} ended with {child.returncode}, so all of it stops")

    def end(self) -> None:
        """TERM to each, and after ten seconds KILL to its whole session."""
        for child in self._running.values():
            if child.poll() is None:
                child.terminate()
        deadline = time.monotonic() + PATIENCE
        for child in self._running.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(timeout=max(0.0, deadline - time.monotonic()))
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
