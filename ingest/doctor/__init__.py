"""What a cluster's source lacks, what that costs in accuracy, and the line of configuration that mends it."""

from ingest.doctor.diagnosis import Diagnosis
from ingest.doctor.evidence import Configured
from ingest.doctor.examine import examine, unreachable
from ingest.doctor.ledger_faults import ledger_faults

__all__ = ["Configured", "Diagnosis", "examine", "ledger_faults", "unreachable"]
