"""ETag and Last-Modified of pure reads, from the ledger's version: known before the answer is.

An ETag covers the question as narrowed to its reader, so that another person's rights, or changed ones, are another answer.
If-Modified-Since is not obeyed: within one second, and where a transaction ends late, it would call old what is new.
"""

import hashlib
import json
from datetime import datetime

from django.utils.http import http_date, parse_etags

from finops import queries
from finops.scope import Scope
from finops.version import version
from reports.api.kept import digest


def validators(request, scope: Scope) -> dict[str, str]:
    """The headers that an answer to this question has now."""
    seen, latest = version(scope.window)
    asked = [
        request.path, sorted(request.query_params.lists()), [str(scope.window.start), str(scope.window.end)],
        None if scope.teams is None else sorted(scope.teams), str(queries.watermark(scope)), seen, digest(),
    ]  # fmt: skip
    tag = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:32]
    return {"ETag": f'W/"{tag}"'} | _modified(latest)


def unchanged(request, headers: dict[str, str]) -> bool:
    """Whether the asker has this answer."""
    known = [tag.removeprefix("W/") for tag in parse_etags(request.headers.get("If-None-Match", ""))]
    return "*" in known or headers["ETag"].removeprefix("W/") in known


def _modified(latest: datetime | None) -> dict[str, str]:
    return {"Last-Modified": http_date(latest.timestamp())} if latest else {}
