"""Our own reading of FOCUS 1.2 and 1.4: each column's presence, order, nulls and form, and the rules between columns. What the tools
of others miss (timestamps, units, nested tags, price × quantity) is caught here."""

import json
import re
from decimal import Decimal as D

import pyarrow.parquet as pq
import pytest

from reports.exports import files
from reports.exports.focus.metadata import schema
from tests.integration.reports.exports.conftest import csv_rows

# Columns of both versions; 1.2 adds two and 1.4 eleven. An exclamation mark: never null.
BOTH = """AvailabilityZone BilledCost! BillingAccountId! BillingAccountName! BillingAccountType! BillingCurrency! BillingPeriodEnd!
BillingPeriodStart! CapacityReservationId CapacityReservationStatus ChargeCategory! ChargeClass ChargeDescription! ChargeFrequency!
ChargePeriodEnd! ChargePeriodStart! CommitmentDiscountCategory CommitmentDiscountId CommitmentDiscountName CommitmentDiscountQuantity
CommitmentDiscountStatus CommitmentDiscountType CommitmentDiscountUnit ConsumedQuantity ConsumedUnit ContractedCost! ContractedUnitPrice
EffectiveCost! InvoiceId InvoiceIssuerName! ListCost! ListUnitPrice PricingCategory PricingCurrency! PricingCurrencyContractedUnitPrice
PricingCurrencyEffectiveCost! PricingCurrencyListUnitPrice PricingQuantity PricingUnit RegionId RegionName ResourceId ResourceName
ResourceType ServiceCategory! ServiceName! ServiceSubcategory! SkuId SkuMeter SkuPriceDetails SkuPriceId SubAccountId! SubAccountName!
SubAccountType! Tags!"""
MORE = {
    "1.2": "ProviderName! PublisherName!",
    "1.4": """AllocatedMethodDetails AllocatedMethodId AllocatedResourceId AllocatedResourceName AllocatedTags
        CommitmentProgramEligibilityDetails ContractApplied HostProviderName! InvoiceDetailId ServiceProviderName!""",
}
USAGE = """ConsumedQuantity ConsumedUnit ContractedUnitPrice ListUnitPrice PricingCategory PricingQuantity PricingUnit SkuId SkuMeter
SkuPriceDetails SkuPriceId PricingCurrencyContractedUnitPrice PricingCurrencyListUnitPrice""".split()
FORMS = {
    r"(Billing|Charge)Period(Start|End)": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",
    r"\w*(Cost|Quantity|UnitPrice|GpuHours)": r"-?(0|[1-9]\d*)(\.\d*[1-9])?",
    r"\w+Currency": r"[A-Z]{3}",
    r"(Pricing|Consumed)Unit": r"GPU-Hours",
    r"ChargeCategory": r"Usage|Adjustment",
    r"ChargeFrequency": r"Usage-Based|One-Time",
    r"PricingCategory": r"Standard|Dynamic",
    r"SubAccountType": r"Team|Pool",
    r"SkuId": r"gpu/[a-z0-9-]+",
    r"SkuPriceId": r"gpu/[a-z0-9-]+/[a-z0-9-]+",
}
NAME = re.compile(r"(x_)?[A-Z][A-Za-z]{0,47}")

pytestmark = pytest.mark.parametrize("version", ["1.2", "1.4"])


def columns(version: str) -> list[str]:
    return sorted([*BOTH.split(), *MORE[version].split()])


@pytest.fixture(params=["allocated", "used", "hybrid"])
def rows(asked, version: str, request) -> list[dict[str, str]]:
    return csv_rows(asked(format="focus-csv", focus_version=version, basis=request.param, grain="hour"))


def test_the_columns_are_focuss_and_then_ours(rows, version: str) -> None:
    names = list(rows[0])
    own = [name for name in names if name.startswith("x_")]
    assert names == [name.rstrip("!") for name in columns(version)] + own
    assert len(names) - len(own) == {"1.2": 57, "1.4": 65}[version]
    assert all(NAME.fullmatch(name) for name in names)


def test_what_must_be_there_is(rows, version: str) -> None:
    assert {name for row in rows for name in columns(version) if name.endswith("!") and not row[name[:-1]]} == set()
    for row in rows:
        assert [bool(row[name]) for name in USAGE] == [row["ChargeCategory"] == "Usage"] * len(USAGE), row


def test_every_value_has_its_form(rows, version: str) -> None:
    wrong = [(name, value) for row in rows for name, value in row.items() for columns, form in FORMS.items()
             if value and re.fullmatch(columns, name) and not re.fullmatch(form, value)]  # fmt: skip
    assert wrong == []
    assert {row["BillingCurrency"] for row in rows} == {"CHF"}


def test_json_is_flat(rows, version: str) -> None:
    for row in rows:
        for name in ("Tags", "SkuPriceDetails"):
            pairs = json.loads(row[name] or "{}", object_pairs_hook=list)
            assert len({key for key, _ in pairs}) == len(pairs)
            assert all(value is None or isinstance(value, str | int) for _, value in pairs)
    assert json.loads(rows[0]["Tags"])["app"]


def test_price_times_quantity_is_every_cost(rows, version: str) -> None:
    usage = [row for row in rows if row["ChargeCategory"] == "Usage"]
    for row in usage:
        product = D(row["ContractedUnitPrice"]) * D(row["PricingQuantity"])
        assert {D(row[f"{name}Cost"]) for name in ("Billed", "Effective", "Contracted", "List", "PricingCurrencyEffective")} == {product}
        assert 0 <= D(row["ConsumedQuantity"]) <= D(row["PricingQuantity"])
    assert len(usage) >= 7


def test_the_sums_are_the_ledgers(rows, version: str) -> None:
    """5 priced GPU-hours, 11.75; what was moved comes to nothing in BilledCost and is in no other cost."""
    assert sum(D(row["PricingQuantity"] or 0) for row in rows) == 5
    for name in ("BilledCost", "EffectiveCost", "ContractedCost", "ListCost"):
        assert sum(D(row[name]) for row in rows) == D("11.75")
    vision = [row for row in rows if row["SubAccountId"] == "vision"]
    assert sum(D(row["BilledCost"]) - D(row["EffectiveCost"]) for row in vision) == D("2.75")


def test_parquet_has_the_same_and_its_metadata_inside(asked, version: str, tmp_path) -> None:
    export = asked(format="focus-parquet", focus_version=version, grain="hour")
    files.write(export, tmp_path / "f")
    table = pq.read_table(tmp_path / "f")
    assert table.schema.names == list(csv_rows(asked(format="focus-csv", focus_version=version))[0])
    assert {str(table.schema.field(name).type) for name in ("ChargePeriodStart", "BillingPeriodEnd")} == {"timestamp[us, tz=UTC]"}
    inside = json.loads(table.schema.metadata[b"focus"])
    assert inside["Schema"] == schema(version)
    assert inside["x_UnpricedGpuHours"] == "1"
    assert inside["DatasetInstance"]["DatasetInstanceComplete"] is False  # nothing was collected here


def test_the_schema_object_describes_each_column(version: str) -> None:
    found = schema(version)
    assert set(found) == {"SchemaId", "FocusVersion", "CreationDate", "DataGenerator", "DataGeneratorVersion", "ColumnDefinition"}
    assert (found["FocusVersion"], len(found["ColumnDefinition"])) == (version, {"1.2": 57, "1.4": 65}[version] + 17)
    by_name = {column["ColumnName"]: column for column in found["ColumnDefinition"]}
    assert by_name["BilledCost"] == {"ColumnName": "BilledCost", "DataType": "Decimal", "NumericPrecision": 38, "NumberScale": 21}
    assert by_name["Tags"]["ProviderTagPrefixes"] == ["gpu-finops/"]
