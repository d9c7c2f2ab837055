"""/api/v1/exports: large exports, ordered, followed and fetched by a signed link."""

from collections.abc import Mapping
from uuid import UUID

from django.http import FileResponse
from django.urls import reverse
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.parsers import JSONParser
from rest_framework.response import Response

from finops.scope import Refused
from finops.times import now
from reports.api import described_files
from reports.api.export import MayExport, asked_by
from reports.api.views import ApiView
from reports.exports import files, orders
from reports.models import ExportOrder
from reports.tasks import make_export

MOST_LISTED = 100


@extend_schema_view(get=extend_schema(**described_files.EXPORTS), post=extend_schema(**described_files.ORDERED))
class Exports(ApiView):
    """GET: the person's own orders, the newest first. POST: the words of /costs/export as a JSON object."""

    permission_classes = (MayExport,)
    parser_classes = (JSONParser,)

    def get(self, request) -> Response:
        if request.query_params:
            raise Refused(f"unknown parameter {min(request.query_params)!r}; this list takes none")
        found = ExportOrder.objects.filter(user=request.user, expires__gt=now()).order_by("-ordered")[:MOST_LISTED]
        return Response({"exports": [told(request, order) for order in found]})

    def post(self, request) -> Response:
        words = _words(request.data)
        order = orders.ordered(request.user, words, asked_by(request, words), now=now())
        make_export.delay(order=str(order.pk))
        answer = Response(told(request, order), status=202)
        answer.headers["Location"] = reverse("api-export", args=[order.pk])
        return answer


@extend_schema_view(get=extend_schema(**described_files.ONE))
class OneExport(ApiView):
    permission_classes = (MayExport,)

    def get(self, request, id: UUID) -> Response:
        return Response(told(request, _own(request, id)))


@extend_schema_view(get=extend_schema(**described_files.FETCH))
class ExportFile(ApiView):
    """The file, for who ordered it, by the link's signature, as long as that person sees all that it tells."""

    permission_classes = (MayExport,)

    def get(self, request, id: UUID) -> FileResponse:
        order = _own(request, id)
        place = orders.place_of(order)
        if not orders.may_fetch(order, request.user, request.query_params.get("signature", ""), now=now()) or not place.exists():
            raise NotFound("There is no such file, or its link has expired.")
        return FileResponse(place.open("rb"), as_attachment=True, filename=order.name, content_type=files.media_type(orders.export_of(order)))


def told(request, order: ExportOrder) -> dict[str, object]:
    link = f"{reverse('api-export-file', args=[order.pk])}?signature={orders.signature(order)}" if order.state == "done" else None
    return {
        "id": str(order.pk),
        "name": order.name,
        "state": order.state,
        "progress": orders.progress(order),
        "problem": order.problem or None,
        "rows": order.rows,
        "size": order.size,
        "unpriced_gpu_hours_left_out": order.left_out or None,
        "ordered": order.ordered.isoformat(),
        "expires": order.expires.isoformat(),
        "link": link and request.build_absolute_uri(link),
    }


def _own(request, id: UUID) -> ExportOrder:
    """The person's order: another's is none."""
    found = ExportOrder.objects.filter(pk=id, user=request.user, expires__gt=now()).first()
    if found is None:
        raise NotFound("There is no such export, or it has expired.")
    return found


def _words(data: object) -> dict[str, list[str]]:
    """A JSON object of texts, or of lists of texts where a word may be repeated."""
    if not isinstance(data, Mapping):
        raise ValidationError("The body is a JSON object of the parameters of /costs/export.")
    words = {str(name): [value] if isinstance(value, str) else value for name, value in data.items()}
    for name, value in words.items():
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise Refused(f"{name} is neither a text nor a list of texts")
    return words
