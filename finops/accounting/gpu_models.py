"""One spelling for a GPU model, however a driver, a device plugin or a price list writes it."""

from __future__ import annotations

import re
from functools import lru_cache

PREFIXES = frozenset({"nvidia", "tesla", "quadro", "amd", "instinct", "intel"})
_WORD = re.compile(r"[^\W_]+")
_PROFILE = re.compile(r"[0-9]+[cg]")


@lru_cache(maxsize=1024)
def normalise_model(text: str) -> str:
    """``NVIDIA-A100-SXM4-40GB-MIG-1g.5gb`` → ``a100sxm440gb``; ``""`` if no model is left.

    The suffixes are those of the NVIDIA device plugin (time-slicing: ``-SHARED``; MIG: ``-MIG-<profile>``).
    """
    words = _without_suffixes(_WORD.findall(text.casefold()))
    while words and words[0] in PREFIXES and words[1:] != ["gpu"]:  # a maker's GPU of no known model stays that maker's
        words = words[1:]
    return "".join(words)


def _without_suffixes(words: list[str]) -> list[str]:
    for place, word in enumerate(words):
        if word == "mig" and place + 1 < len(words) and _PROFILE.fullmatch(words[place + 1]):
            return _without_suffixes(words[:place])
    while words and words[-1] == "shared":
        words = words[:-1]
    return words
