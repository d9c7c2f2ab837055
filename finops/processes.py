"""Work in several processes, each taking the next part when it is done with one."""

import os
import signal
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import connection as pipes
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Generic, TypeVar

from django.db import connections

T, R = TypeVar("T"), TypeVar("R")
FORK = get_context("fork")


@dataclass(frozen=True, slots=True)
class Died:
    """A process that ended without a result; `code` as Process.exitcode: below 0 the signal."""

    code: int | None


@dataclass(slots=True)
class Child(Generic[T]):
    """`near`: our end of its pipe; `part`: what it has in hand."""

    process: BaseProcess
    near: Connection
    part: T | None = None


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(work: Callable[[T], R], parts: deque[T], *, processes: int) -> Iterator[tuple[T, R | Died]]:
    """Every part with its result, in the order in which results come; in this process where one is enough.

    The caller may add parts meanwhile. A process that dies is followed by another, and its part is the caller's to give again.
    A process whose parent is gone ends once it is done with what it has in hand.
    """
    if processes < 2:
        while parts:
            yield (part := parts.popleft()), work(part)
        return
    children: list[Child[T]] = []
    try:
        while parts or any(child.part is not None for child in children):
            _hand_out(work, parts, children, processes)
            for near in pipes.wait([child.near for child in children]):
                yield from _heard(next(child for child in children if child.near is near), children)
    finally:
        for child in children:
            child.process.terminate()
        for child in children:
            child.process.join()


def _hand_out(work: Callable[[T], R], parts: deque[T], children: list[Child[T]], most: int) -> None:
    while parts:
        child = next((each for each in children if each.part is None), None)
        if child is None and len(children) == most:
            return
        if child is None:
            children.append(child := _born(work, [each.near for each in children]))
        child.part = parts.popleft()
        try:
            child.near.send(child.part)
        except OSError:  # it has died; its end of the pipe tells
            return


def _heard(child: Child[T], children: list[Child[T]]) -> Iterator[tuple[T, R | Died]]:
    part = child.part
    try:
        result = child.near.recv()
    except (EOFError, OSError):
        children.remove(child)
        child.near.close()
        child.process.join()
        result = Died(child.process.exitcode)
    child.part = None
    if part is not None:
        yield part, result


def _born(work: Callable[[T], R], siblings: list[Connection]) -> Child[T]:
    connections.close_all()  # a connection cannot be shared with a child
    near, far = FORK.Pipe()
    process = FORK.Process(target=_serve, args=(work, far, [near, *siblings]), daemon=True)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    far.close()
    return Child(process, near)


def _serve(work: Callable[[T], R], far: Connection, parents: list[Connection]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; the parent decides
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    for end in parents:  # else we would keep the pipes of a parent that is gone open ourselves
        end.close()
    while True:
        try:
            part = far.recv()
        except (EOFError, OSError):
            return
        result = work(part)
        try:
            far.send(result)
        except OSError:
            return
