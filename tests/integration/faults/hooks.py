"""Points of the product's work at which a test's process dies, waits or fails. Only ever loaded by processes of these tests."""

import importlib
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psycopg
from django.db import connection


def install(hooks: list[dict]) -> None:
    """Each hook: `at` (call, sql, copy), `name` (a function, or a part of the statement), `count` (which time), `do` (kill, wait, hold, fail, slow).

    A `flag` names a file: the hook acts as long as it exists, which with `once` is until the first time.
    """
    for hook in hooks:
        {"call": _on_call, "sql": _on_sql, "copy": _on_row}[hook["at"]](hook)


def _act(hook: dict) -> None:
    hook["count"] = hook.get("count", 1) - 1
    if hook["count"] > 0 or hook.get("count") < 0 and not hook.get("always") or not os.path.exists(hook.get("flag", "/")):
        return
    if hook.get("once"):
        Path(hook["flag"]).unlink(missing_ok=True)
    if hook["do"] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if hook["do"] == "fail":
        raise ArithmeticError("this hour is poison")
    if hook["do"] == "slow":
        return time.sleep(hook["seconds"])
    print("here", flush=True)
    if hook["do"] == "hold":  # a process made by another has no standard input
        while os.path.exists(hook["flag"]):
            time.sleep(0.02)
        return
    sys.stdin.readline()


def _on_call(hook: dict) -> None:
    """Before the function `name` (module:function) runs, or once it is over; `when` is looked for in its arguments."""
    place, _, name = hook["name"].partition(":")
    module = importlib.import_module(place)
    real = getattr(module, name)

    def wrapped(*args, **kwargs):
        chosen = hook.get("when", "") in repr((args, kwargs))
        if chosen and not hook.get("after"):
            _act(hook)
        result = real(*args, **kwargs)
        if chosen and hook.get("after"):
            _act(hook)
        return result

    setattr(module, name, wrapped)


def _on_sql(hook: dict) -> None:
    """Before a statement that holds `name`."""

    def wrapper(execute: Callable, sql: str, *args):
        if hook["name"] in sql:
            _act(hook)
        return execute(sql, *args)

    connection.execute_wrappers.append(wrapper)


def _on_row(hook: dict) -> None:
    """At the `count`-th row of a COPY into the table `name`, the rows before it sent already."""
    real = psycopg.Cursor.copy

    def copy(self, statement, *args, **kwargs):
        context = real(self, statement, *args, **kwargs)
        return _Watched(context, hook) if hook["name"] in str(statement) else context

    psycopg.Cursor.copy = copy


class _Watched:
    def __init__(self, context, hook: dict) -> None:
        self.context, self.hook = context, hook

    def __enter__(self):
        self.copy = self.context.__enter__()
        return self

    def __exit__(self, *error):
        return self.context.__exit__(*error)

    def write_row(self, row) -> None:
        self.copy.connection.pgconn.flush()
        _act(self.hook)
        self.copy.write_row(row)
