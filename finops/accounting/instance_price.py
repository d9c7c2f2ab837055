"""What an instance's price leaves for its GPUs: parts for GPU, CPU and memory that add up to it to the last digit."""

from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from finops.accounting.money import EXACT, split, stored

GIB = 2**30


@dataclass(frozen=True, slots=True)
class Weights:
    """What one GPU, one vCPU and one GiB are worth beside one another; only their ratios count.

    By default OpenCost's default prices per hour; those of CPU and memory are what an N1 machine's cost in us-central1.
    """

    gpu: Decimal = Decimal("0.95")
    cpu: Decimal = Decimal("0.031611")
    memory: Decimal = Decimal("0.004237")


DEFAULT = Weights()


@dataclass(frozen=True, slots=True)
class Size:
    """What a node has: physical GPUs, vCPUs, GiB of memory; None where nothing tells."""

    gpus: int
    cpus: Decimal | None = None
    memory: Decimal | None = None


def size(gpus: int, *, cpus: float | None, memory: float | None) -> Size:
    """From a node's capacity: `cpus` in cores, `memory` in bytes."""
    return Size(
        gpus,
        None if cpus is None else Decimal(str(cpus)),
        None if memory is None else EXACT.divide(Decimal(memory), Decimal(GIB)),
    )


class Parts(NamedTuple):
    """What of an instance's price falls to all its GPUs, all its vCPUs and all its memory, at stored digits."""

    gpu: Decimal
    cpu: Decimal
    memory: Decimal


def parts(price: Decimal, of: Size, weights: Weights = DEFAULT) -> Parts | None:
    """`price` (per instance-hour) divided by the weights; None where a size is unknown that the weights ask for, or there is no GPU."""
    worth = [_worth(Decimal(of.gpus), weights.gpu), _worth(of.cpus, weights.cpu), _worth(of.memory, weights.memory)]
    known = [each for each in worth if each is not None]
    if len(known) < len(worth) or not worth[0]:
        return None
    whole, price = sum(known, Decimal(0)), stored(price)
    return Parts(*split(price, [EXACT.divide(EXACT.multiply(price, each), whole) for each in known]))


def _worth(units: Decimal | None, weight: Decimal) -> Decimal | None:
    if not weight:
        return Decimal(0)
    return None if units is None else EXACT.multiply(units, weight)


def gpu_hour_price(price: Decimal, of: Size, weights: Weights = DEFAULT) -> Decimal | None:
    """The GPU part by the node's boards, unrounded: its boards together cost the GPU part to the last digit. None as in `parts`."""
    found = parts(price, of, weights)
    return EXACT.divide(found.gpu, Decimal(of.gpus)) if found else None
