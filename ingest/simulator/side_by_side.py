"""Work in several processes, each with a part of the list: the database serves them better than one."""

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import connection as pipes
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import TypeVar

from django.db import connections

T, R = TypeVar("T"), TypeVar("R")


def each(work: Callable[[T], R], parts: Sequence[T], *, processes: int) -> Iterator[R]:
    """`work` of every part, in the order in which results come; in this process where one is enough.

    The first parts are begun first. A process whose parent is gone ends with the part it has in hand.
    """
    if processes < 2 or len(parts) < 2:
        yield from map(work, parts)
        return
    connections.close_all()  # a connection cannot be shared with a child
    context = get_context("fork")
    ends = [context.Pipe(duplex=False) for _ in range(processes)]
    children = [context.Process(target=_all, args=(work, parts[n::processes], end[1]), daemon=True) for n, end in enumerate(ends)]
    for child in children:
        child.start()
    for _, far in ends:
        far.close()
    try:
        yield from _results([near for near, _ in ends])
    finally:
        for child in children:
            child.terminate()
            child.join()


def _all(work: Callable[[T], R], parts: Sequence[T], far: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to all; the parent decides
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    parent = os.getppid()
    for part in parts:
        if os.getppid() != parent:
            return
        try:
            far.send((True, work(part)))
        except Exception as error:
            far.send((False, error))
            return
    far.send(None)


def _results(open_ends: list[Connection]) -> Iterator:
    while open_ends:
        for near in pipes.wait(open_ends):
            try:
                found = near.recv()
            except EOFError:
                raise RuntimeError("a process ended without a word; look for memory limits in the system's log") from None
            if found is None:
                open_ends.remove(near)
            elif found[0]:
                yield found[1]
            else:
                raise found[1]
