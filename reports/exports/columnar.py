"""An export as Parquet: decimals as decimal128, instants in UTC, nulls as nulls, texts raw; FOCUS carries its metadata inside."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from reports.exports.columns import INSTANT, JSON, NUMBER, PRICE, TEXT, Column

TYPES = {
    TEXT: pa.string(),
    JSON: pa.string(),
    NUMBER: pa.decimal128(38, 21),
    PRICE: pa.decimal128(20, 10),
    INSTANT: pa.timestamp("us", tz="UTC"),
}
CELLS = 400_000  # of a row group: each is an object of its own until it is written


def write(path: Path, *, columns: Sequence[Column], batches: Iterable[Sequence[tuple]], metadata: Mapping[str, str]) -> int:
    """The number of rows."""
    schema = pa.schema([pa.field(column.name, TYPES[column.type]) for column in columns], metadata=dict(metadata))
    rows, pending = 0, []
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for batch in batches:
            pending += batch
            rows += len(batch)
            if len(pending) * len(columns) >= CELLS:
                writer.write_table(_table(pending, columns, schema))
                pending = []
        if pending:
            writer.write_table(_table(pending, columns, schema))
    return rows


def _table(records: Sequence[tuple], columns: Sequence[Column], schema: pa.Schema) -> pa.Table:
    values = zip(*records, strict=True)
    arrays = [pa.array(map(_instant, each) if column.type == INSTANT else each, TYPES[column.type]) for column, each in zip(columns, values, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


@lru_cache(maxsize=2048)
def _instant(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
