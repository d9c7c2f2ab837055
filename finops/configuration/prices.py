"""The sections ``rates`` and ``exchange_rates``."""

from __future__ import annotations

from datetime import tzinfo
from decimal import Decimal
from functools import partial

from finops.accounting.gpu_models import normalise_model

from . import document, values
from .fields import EPOCH, Fields, Place, overlapping
from .specs import ExchangeRate, RateSpec, WeightsSpec

WEIGHTS = ("gpu", "cpu", "memory")
KEYS = ("cluster", "node_pool", "instance_type", "capacity_type", "gpu_model", "price", "instance_price", "weights", "currency", "from", "until")
Selector = tuple[str | None, ...]


def rates(place: Place, *, zone: tzinfo) -> tuple[RateSpec, ...]:
    """Every rate; equal selectors must not overlap in time."""
    found: list[RateSpec] = []
    sound: dict[Selector, list[RateSpec]] = {}
    for item in place.items():
        before = len(place.problems)
        found.append(_rate(item, zone))
        if len(place.problems) == before:
            _refuse_overlap(item, found[-1], sound.setdefault(selector(found[-1]), []))
    return tuple(found)


def selector(rate: RateSpec) -> Selector:
    """What a rate applies to, with one spelling per GPU model."""
    model = normalise_model(rate.gpu_model) if rate.gpu_model else None
    return rate.cluster, rate.node_pool, rate.instance_type, rate.capacity_type, model


def _refuse_overlap(item: Place, rate: RateSpec, others: list[RateSpec]) -> None:
    for other in others:
        if overlapping((rate.start, rate.end), (other.start, other.end)):
            item.refuse(f"applies to the same GPUs at the same time as the rate on line {other.line}; end one with until or remove it")
    others.append(rate)


def _rate(place: Place, zone: tzinfo) -> RateSpec:
    fields = Fields(place, KEYS)
    _one_price(fields)
    weights = fields.get("weights")
    start, end = fields.validity(zone)
    return RateSpec(
        cluster=fields.optional("cluster", values.word),
        node_pool=fields.optional("node_pool", values.word),
        instance_type=fields.optional("instance_type", values.word),
        capacity_type=fields.optional("capacity_type", values.word),
        gpu_model=fields.optional("gpu_model", _model),
        price=fields.optional("price", values.price),
        instance_price=fields.optional("instance_price", values.instance_price),
        weights=_weights(weights) if weights else None,
        currency=fields.required("currency", values.currency, ""),
        start=start,
        end=end,
        line=place.node.line,
    )


def _one_price(fields: Fields) -> None:
    """Either of a GPU or of an instance; an instance is told by its type or its pool, or every node would cost that much."""
    place = fields.place
    if "price" in fields and "instance_price" in fields:
        place.refuse("has both price and instance_price; keep the one that is meant")
    elif "instance_price" in fields:
        if "instance_type" not in fields and "node_pool" not in fields:
            place.refuse("an instance_price needs an instance_type or a node_pool to say whose it is")
    elif "price" not in fields and isinstance(place.node, document.Mapping):
        place.refuse("the key 'price' (per GPU-hour) or 'instance_price' (per hour of a whole instance) is missing")
    elif "weights" in fields:
        place.refuse("weights divide an instance_price; a price per GPU-hour has none")


def _weights(place: Place) -> WeightsSpec | None:
    fields = Fields(place, WEIGHTS)
    found = WeightsSpec(
        gpu=fields.optional("gpu", values.positive),
        cpu=fields.optional("cpu", values.not_negative),
        memory=fields.optional("memory", values.not_negative),
    )
    return found if found.texts() else None


def _model(text: str) -> str:
    if not normalise_model(values.word(text)):
        raise ValueError(f'{text!r} names no GPU model; write it like "NVIDIA A100-SXM4-40GB"')
    return text


def exchange_rates(place: Place, *, zone: tzinfo) -> tuple[ExchangeRate, ...]:
    """Every exchange rate; a currency has one from each moment on."""
    found: list[ExchangeRate] = []
    lines: dict[tuple[str, object], int] = {}
    for item in place.items():
        before = len(place.problems)
        found.append(_exchange_rate(item, zone))
        key = (found[-1].currency, found[-1].start)
        if len(place.problems) == before and key in lines:
            item.refuse(f"{key[0]} already has a rate from the same moment on line {lines[key]}")
        lines.setdefault(key, item.node.line)
    return tuple(found)


def _exchange_rate(place: Place, zone: tzinfo) -> ExchangeRate:
    fields = Fields(place, ("currency", "rate", "from"))
    return ExchangeRate(
        currency=fields.required("currency", values.currency, ""),
        rate=fields.required("rate", values.positive, Decimal(1)),
        start=fields.required("from", partial(values.moment, zone=zone), EPOCH),
    )
