"""The metadata object of a FOCUS file: its schema, its period, and whether the ledger is complete for it."""

import json
from collections.abc import Mapping
from datetime import datetime
from uuid import NAMESPACE_URL, uuid5

from reports.exports.columns import INSTANT, JSON, NUMBER, PRICE, Column
from reports.exports.focus.columns import columns
from reports.exports.periods import written

CREATED = "2026-12-01T00:00:00Z"  # of the column definitions below; a change of them is another SchemaId and date
GENERATOR, GENERATOR_VERSION = "gpu-finops", "1"
KINDS = {INSTANT: "Date/Time", JSON: "JSON", NUMBER: "Decimal", PRICE: "Decimal"}
SCALES = {NUMBER: (38, 21), PRICE: (20, 10)}
TAGS = "gpu-finops/"


def schema(version: str) -> dict[str, object]:
    """The schema object of a version: the same for every file of it."""
    definitions = [_definition(column) for column in columns(version, currency="XXX", basis="allocated")]
    identity = uuid5(NAMESPACE_URL, json.dumps([version, definitions], sort_keys=True))
    return {
        "SchemaId": str(identity),
        "FocusVersion": version,
        "CreationDate": CREATED,
        "DataGenerator": GENERATOR,
        "DataGeneratorVersion": GENERATOR_VERSION,
        "ColumnDefinition": definitions,
    }


def of_file(version: str, *, start: datetime, end: datetime, as_of: datetime | None, complete: bool, unpriced: str) -> dict[str, object]:
    """The schema with what is true of one file."""
    sector = {"TimeSectorStart": written(start), "TimeSectorEnd": written(end), "TimeSectorComplete": complete}
    recency: Mapping[str, object] = {
        "DatasetInstanceName": "Cost and Usage",
        "DatasetInstanceLastUpdated": written(as_of) if as_of else None,
        "DatasetInstanceComplete": complete,
        "TimeSectors": [sector],
    }
    return {"Schema": schema(version), "DatasetInstance": recency, "x_UnpricedGpuHours": unpriced}



def _definition(column: Column) -> dict[str, object]:
    found: dict[str, object] = {"ColumnName": column.name, "DataType": KINDS.get(column.type, "String")}
    if column.type in SCALES:
        found["NumericPrecision"], found["NumberScale"] = SCALES[column.type]
    elif column.type != INSTANT:
        found["StringEncoding"] = "UTF-8"
    return found | ({"ProviderTagPrefixes": [TAGS]} if column.name == "Tags" else {})
