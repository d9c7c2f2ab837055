"""The key ``gpu_resources`` of a cluster: which resources of other makers are GPUs."""

from __future__ import annotations

import re
from functools import partial

from finops.accounting.gpu_models import normalise_model
from finops.accounting.gpu_resources import BUILT_IN, KNOWN, spelling

from . import values
from .fields import Fields, Place
from .specs import GpuResourceSpec

KEYS = ("resource", "model_label", "gpu_model", "units_per_gpu", "ignore")
OWN = {each.shown for each in BUILT_IN}
_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?/[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")


def gpu_resources(place: Place) -> tuple[GpuResourceSpec, ...]:
    """Every entry; a resource may stand once."""
    lines: dict[str, int] = {}
    found = []
    for item in place.items():
        spec = _entry(item)
        shown = spelling(spec.resource)
        if shown in lines:
            item.refuse(f"kube-state-metrics shows {spec.resource!r} and the entry on line {lines[shown]} as {shown}; keep one")
        elif shown:
            lines[shown] = item.node.line
        found.append(spec)
    return tuple(found)


def _entry(place: Place) -> GpuResourceSpec:
    fields = Fields(place, KEYS)
    spec = GpuResourceSpec(
        resource=fields.required("resource", _resource, ""),
        model_label=fields.optional("model_label", values.kubernetes_label),
        gpu_model=fields.optional("gpu_model", _model),
        units_per_gpu=fields.optional("units_per_gpu", partial(values.integer, least=1, most=1000)),
        ignore=fields.optional("ignore", values.flag) or None,
    )
    if fields.sound and not (spec.model_label or spec.gpu_model or spec.ignore or spelling(spec.resource) in OWN):
        place.refuse("tells no model to price its GPUs by; name gpu_model, or the node label that tells it in model_label")
    return spec


def _resource(text: str) -> str:
    if KNOWN.fullmatch(spelling(text)):
        raise ValueError(f"{text!r} is one of NVIDIA's own resources, which are read in any case; leave it out")
    if not _NAME.fullmatch(text):
        raise ValueError(f'{text!r} is no resource of a device plugin; write its name as pods ask for it, like "amd.com/gpu"')
    return text


def _model(text: str) -> str:
    if not normalise_model(values.word(text)):
        raise ValueError(f'{text!r} names no model; write it as in rates, like "AMD Instinct MI300X"')
    return text
