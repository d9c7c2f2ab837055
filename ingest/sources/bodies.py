"""The body of an answer: bounded, unpacked in small pieces, whole or refused."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import requests

from ingest.sources import Passing, SourceError, TooMuch

PIECE = 256 * 2**10
BOMB_BYTES, BOMB_RATIO = 4 * 2**20, 200  # JSON of equal samples packs 100 to 1 at most
ERROR_BYTES = 64 * 2**10


@dataclass(frozen=True, slots=True)
class Answer:
    """Status code, headers (case-insensitive) and the body, decompressed; error bodies are cut to 64 KiB."""

    status: int
    headers: dict
    body: bytes


def read(response: requests.Response, max_bytes: int) -> Answer:
    """The answer with its body; closing early drops the connection with whatever is still on the way."""
    try:
        if response.status_code == 200:
            body = b"".join(limited(response, max_bytes))
        else:
            body = head(response)
        return Answer(response.status_code, response.headers, body)
    finally:
        response.close()


def head(response: requests.Response) -> bytes:
    """The first 64 KiB of an error page: enough for its text, however much follows."""
    found = bytearray()
    for piece in decoded(response):
        found += piece
        if len(found) >= ERROR_BYTES:
            break
    return bytes(found[:ERROR_BYTES])


def limited(response: requests.Response, max_bytes: int) -> Iterator[bytes]:
    total = 0
    for piece in decoded(response):
        total += len(piece)
        if total > max_bytes:
            raise TooMuch(f"answer above the limit of {max_bytes} bytes; cut the window or raise the limit")
        yield piece


def decoded(response: requests.Response) -> Iterator[bytes]:
    """The body in pieces of at most 256 KiB *after* decompression: a bomb never unfolds in memory."""
    encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
    raw = iter(lambda: response.raw.read(PIECE, decode_content=False), b"")
    if encoding in ("identity", ""):
        return raw
    if encoding not in ("gzip", "x-gzip"):
        raise SourceError(f"answered in the encoding {encoding[:40]!r} although none was asked for; switch it off in the proxy")
    return unzipped(raw)


def unzipped(raw: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces decompressed; Passing where the stream is damaged or ends early, SourceError for a bomb."""
    unzip = zlib.decompressobj(16 + zlib.MAX_WBITS)
    packed = unpacked = 0
    try:
        for piece in raw:
            packed += len(piece)
            while piece:
                found = unzip.decompress(piece, PIECE)
                unpacked += len(found)
                if unpacked > max(BOMB_BYTES, BOMB_RATIO * packed):
                    raise SourceError(f"the gzip body unfolds to more than {BOMB_RATIO} times its size; check what answers at this address")
                yield found
                piece = unzip.unconsumed_tail
    except zlib.error:
        raise Passing("answered a damaged gzip body; check the proxies in between") from None
    if not unzip.eof:
        raise Passing("the gzip body was cut short; check the proxies in between")
