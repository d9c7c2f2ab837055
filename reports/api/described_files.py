"""What the OpenAPI document says of exports and of data quality."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter

from finops.kinds import KINDS
from reports.api import forms
from reports.api.described import FILTERS, KEYS, NOT_KEYS, PAGING, operation, parameter, windows
from reports.api.forms import decimal, instant, text, texts, whole
from reports.exports.basis import BASES
from reports.exports.focus.columns import VERSIONS
from reports.exports.periods import GRAINS
from reports.exports.question import FORMATS

LEVELS = ("fault", "warn", "note")
FAULT = whole(
    {
        "kind": text(enum=list(KINDS)), "title": text(), "level": text(enum=list(LEVELS)),
        "makes_figures_wrong": {"type": "boolean"}, "cluster": text(), "subject": text(),
        "since": instant("The first hour of its latest run."), "last": instant(), "lasts": {"type": "boolean"},
        "hours": {"type": "integer"}, "gpu_hours": decimal("What it touches in the window."), "cost": decimal(), "teams": texts(),
        "pods": texts(), "message": text(), "meaning": text("What it does to the figures."), "cure": text("The line of configuration that mends it."),
    }
)  # fmt: skip
DATA_QUALITY = operation(
    "data_quality", "The faults in the data, since when, what they touch and what mends them",
    "By money, then hours. Who sees own teams finds the faults that touch their own pods, with their own hours.",
    forms.paged(FAULT),
    parameters=[
        *windows(""), parameter("cluster", "Only of this cluster; repeated means or.", many=True),
        parameter("team", "Only what touches this team; repeated means or.", many=True),
        parameter("kind", "Only of this kind.", many=True, enum=list(KINDS)), parameter("level", "Only of this level.", many=True, enum=list(LEVELS)), *PAGING,
    ],
)  # fmt: skip
WORDS = [
    parameter("format", "What to write.", enum=list(FORMATS), required=True), parameter("grain", "How long a row's period is.", enum=list(GRAINS), default="day"),
    parameter("basis", "What is charged: docs/exports.md.", enum=list(BASES), default="allocated"),
    parameter("focus_version", "Of the FOCUS formats.", enum=list(VERSIONS), default=VERSIONS[0]),
    parameter("group_by", "Sums by these keys instead of every line of detail; not for the FOCUS formats."),
]  # fmt: skip
FILE = {"type": "string", "format": "binary"}
EXPORT = operation(
    "export", "What a window cost, as a file", "Streamed, up to a number of ledger lines; beyond, order it." + FILTERS, FILE,
    parameters=[*windows(""), *WORDS, *KEYS, *NOT_KEYS], kind="text/csv",
)  # fmt: skip
ORDER = whole(
    {
        "id": text(format="uuid"), "name": text(), "state": text(), "progress": {"type": "number", "nullable": True}, "problem": text(nullable=True),
        "rows": {"type": "integer", "nullable": True}, "size": {"type": "integer", "nullable": True},
        "unpriced_gpu_hours_left_out": text(nullable=True), "ordered": instant(), "expires": instant(), "link": text(nullable=True),
    }
)  # fmt: skip
ID = OpenApiParameter("id", OpenApiTypes.UUID, OpenApiParameter.PATH, description="As the order was answered.")
EXPORTS = operation("exports", "Your orders of large exports", "The newest first.", whole({"exports": {"type": "array", "items": ORDER}}))
ORDERED = operation(
    "order_export", "Orders a large export", "The words of `/costs/export` as a JSON object, each a text or a list of texts.", ORDER, code=202,
    errors=(400, 401, 403, 405, 415, 429, 503),
) | {"request": {"application/json": {"type": "object", "additionalProperties": {"oneOf": [{"type": "string"}, texts()]}}}}  # fmt: skip
ONE = operation("one_export", "One order: how far it is, and its link", "", ORDER, parameters=[ID], errors=(401, 403, 404, 405, 429, 503))
FETCH = operation(
    "export_file", "The file of an order", "By the link that the order shows, for who ordered it.", FILE,
    parameters=[ID, parameter("signature", "As the link has it.")], errors=(401, 403, 404, 405, 429, 503), kind="application/octet-stream",
)  # fmt: skip
METADATA = operation(
    "focus_metadata", "The schema of FOCUS files", "The metadata object of the specification.", {"type": "object"},
    parameters=[parameter("focus_version", "Which version.", enum=list(VERSIONS), default=VERSIONS[0])],
)  # fmt: skip
