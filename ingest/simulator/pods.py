"""A pod of the demo company, and the workload it belongs to."""

from dataclasses import dataclass, field

from ingest.simulator.curves import Curve
from ingest.simulator.weeks import digest, uuid

PULL_12_GB, PULL_SMALL = 480.0, 45.0  # seconds from binding to the first start of the container


@dataclass(frozen=True, slots=True)
class Job:
    """A top-level workload as declared. `kind`: as the ledger names it. `image`: seconds its image takes to pull."""

    team: str
    namespace: str
    kind: str
    name: str
    user: str
    curve: Curve
    queue: str = ""
    team_label: bool = False
    image: float = PULL_SMALL
    resource: str = "nvidia_com_gpu"


@dataclass(frozen=True, slots=True)
class Pod:
    """Unix seconds. `bound` None: it never got a node. `cards`: of its node; `outcome` "" means deleted or lost.

    `created` ≤ `bound` < `started` ≤ `ended` ≤ `gone`; it holds its cards from `bound` to `ended`.
    """

    uid: str
    name: str
    job: Job
    run: str
    node: str
    cards: tuple[str, ...]
    created: float
    bound: float | None
    started: float
    ended: float
    gone: float
    outcome: str
    curve: Curve
    gated: bool = False
    labels: dict[str, str] = field(default_factory=dict, hash=False)

    @property
    def container(self) -> str:
        return self.job.name if self.job.kind in ("Notebook", "InferenceService", "Deployment") else "main"


def pod(
    job: Job,
    *,
    node: str,
    cards: tuple[str, ...],
    bound: float | None,
    ended: float,
    index: int = 0,
    run: str = "",
    created: float | None = None,
    outcome: str = "",
    linger: float = 0.0,
    curve: Curve | None = None,
    gated: bool = False,
) -> Pod:
    """A pod with its name, uid and the rest worked out; `linger`: seconds its object stays after a terminal phase."""
    born = created if created is not None else (bound or 0.0) - 3.0
    started = min((bound if bound is not None else ended) + job.image + 5 * index % 30, ended)
    name = _name(job, run=run, index=index, born=born)
    gone = ended + (linger if outcome else 0.0)
    uid = uuid(job.namespace, name, born, index)
    return Pod(uid, name, job, run, node, cards, born, bound, started, ended, gone, outcome, curve or job.curve, gated)


def _name(job: Job, *, run: str, index: int, born: float) -> str:
    tail = digest(job.namespace, job.name, born, index).hex()
    if job.kind == "Notebook":
        return f"{job.name}-0"
    if job.kind == "PyTorchJob":
        return f"{job.name}-worker-{index - 1}" if index else f"{job.name}-master-0"
    if job.kind in ("Deployment", "InferenceService"):
        return f"{job.name}-{replica_set(run)}-{tail[:5]}"
    if job.kind == "Pod":
        return job.name
    return f"{job.name}-{run}-{tail[:5]}" if run else f"{job.name}-{tail[:5]}"


def scheduled(job: Job, at: float) -> str:
    """The run that a CronJob begins: its Jobs are called by the minute they are due, counted since 1970."""
    return str(int(at // 60)) if job.kind == "CronJob" else ""


def replica_set(run: str) -> str:
    """The hash in the name of a Deployment's ReplicaSet."""
    return digest("replica set", run).hex()[:9]
