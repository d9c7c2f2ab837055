"""Labels and annotations that teams, users and prices are read from: kube-state-metrics shows only those it is told to."""

from collections.abc import Iterator

from finops.accounting.ownership import sanitised
from finops.kinds import kind
from ingest.doctor.diagnosis import Diagnosis, named
from ingest.doctor.evidence import Evidence
from ingest.doctor.symptoms import NODE_LABELS, QUEUE_LABELS
from ingest.tidy.nodes import SPOT

UNREAD = kind("no_pod_labels").meaning


def pod_labels(seen: Evidence) -> Iterator[Diagnosis]:
    """Labels of pods that the team rules name."""
    yield from _allowed(seen, "pod_labels", "pod_label", allow_list(seen))


def namespace_labels(seen: Evidence) -> Iterator[Diagnosis]:
    """Labels of namespaces that the team rules name."""
    yield from _allowed(seen, "namespace_labels", "namespace_label", allow_list(seen))


def pod_annotations(seen: Evidence) -> Iterator[Diagnosis]:
    """Annotations of pods that the team rules name; they have a list of their own."""
    told, matched = _needed(seen, "pod_annotation")
    mend = f"kube-state-metrics: --metric-annotations-allowlist=pods=[{','.join([*told, *matched])}]"
    yield from _allowed(seen, "pod_annotations", "pod_annotation", mend, prefix="annotation_")


def conflicts(seen: Evidence) -> Iterator[Diagnosis]:
    """Two labels that kube-state-metrics spells alike get a suffix each, and neither is found under its name."""
    wanted = {f"label_{sanitised(name)}_conflict1" for kind in ("pod_label", "namespace_label") for names in _needed(seen, kind) for name in names}
    found = {name for row in seen.labels("pod_labels", "namespace_labels") for name in row.keys() & wanted}
    if found:
        shown = named(name.removesuffix("_conflict1") for name in found)
        yield seen.say("fault", "label conflict", f"two labels on one object become {shown}", UNREAD,
                       "remove one spelling from the objects: kubectl label --all-namespaces pods --all the-other-spelling-")


def user(seen: Evidence) -> Iterator[Diagnosis]:
    """The label that says who runs a pod."""
    label = seen.cluster.user_label
    if label and not _borne(seen, "pod_labels", label, "label_"):
        yield seen.say("warn", "user_label", f"no pod bears {label}: not allow-listed, or worn by nothing", "no user is known", allow_list(seen))


def node_pool(seen: Evidence) -> Iterator[Diagnosis]:
    """The label of the node's pool, where rates name pools or one is configured."""
    own, priced = seen.cluster.node_pool_label, [rate for rate in seen.configured.rates if rate.node_pool]
    without = [node.name for node in seen.nodes if not node.pool]
    if without and (own or priced):
        yield seen.say("fault" if priced else "warn", "node pool", f"no pool is known of {named(without)}: label not allow-listed or not configured",
                       "rates by pool do not match, and teams by pool neither",
                       f"{allow_list(seen)}; clusters: - name: {seen.cluster.name}: node_pool_label: the label of your pools")
    elif seen.nodes:
        yield seen.say("ok", "node pool", f"known of {len(seen.nodes) - len(without)} of {len(seen.nodes)} GPU nodes")


def capacity_type(seen: Evidence) -> Iterator[Diagnosis]:
    """Whether spot nodes could be told from others."""
    known = {"karpenter_sh_capacity_type", *SPOT}
    silent = [node.name for node in seen.nodes if not any(seen.node_labels(node.name).get(f"label_{name}") for name in known)]
    if not silent:
        yield seen.say("ok", "capacity type", "every GPU node tells it")
    elif not seen.labels("node_labels"):
        yield seen.say("fault", "capacity type", "no node label is shown at all",
                       "spot nodes are priced as on-demand, rates by pool, instance type or model label do not match", allow_list(seen))
    else:
        yield seen.say("warn", "capacity type", f"{named(silent)} tell none: on-demand is assumed, which is right on nodes that cannot be spot",
                       "a spot node would be priced as on-demand", allow_list(seen))


def allow_list(seen: Evidence) -> str:
    """The one flag of kube-state-metrics with every label that is read here."""
    pods = [label for labels in _needed(seen, "pod_label") for label in labels]
    spaces = [label for labels in _needed(seen, "namespace_label") for label in labels]
    user, pool = ([label] if label else [] for label in (seen.cluster.user_label, seen.cluster.node_pool_label))
    kinds = (("pods", [*pods, *user, *QUEUE_LABELS]), ("namespaces", spaces), ("nodes", [*pool, *NODE_LABELS, *_of_models(seen)]))
    return "kube-state-metrics: --metric-labels-allowlist=" + ",".join(
        f"{kind}=[{','.join(dict.fromkeys(names))}]" for kind, names in kinds if names)


def _of_models(seen: Evidence) -> list[str]:
    """Labels that tell models and boards of the other makers' GPUs that are there."""
    there = [seen.resources[name] for node in seen.nodes for name in node.model_of]
    return [label for each in there for label in (*each.model_labels, each.count_label) if label]


def _needed(seen: Evidence, key: str) -> tuple[list[str], list[str]]:
    """Labels whose value is the team, and other labels that rules match, in file order."""
    rules = seen.configured.rules
    told = list(dict.fromkeys(rule.label for rule in rules if rule.kind == f"from_{key}"))
    matched = dict.fromkeys(label for rule in rules for label in rule.match.get(key, {}))
    return told, [label for label in matched if label not in told]


def _borne(seen: Evidence, key: str, label: str, prefix: str) -> bool:
    return any(row.get(prefix + sanitised(label)) for row in seen.labels(key))


def _allowed(seen: Evidence, key: str, kind: str, mend: str, *, prefix: str = "label_") -> Iterator[Diagnosis]:
    """A label that names teams and that nobody bears is a fault; one that a rule matches may just have no pod now."""
    told, matched = _needed(seen, kind)
    lacking = [name for name in [*told, *matched] if not _borne(seen, key, name, prefix)]
    for level, names in (("fault", [n for n in told if n in lacking]), ("warn", [n for n in matched if n in lacking])):
        if names:
            yield seen.say(level, f"kube_{key}", f"no series bears {', '.join(names)}: not allow-listed, or worn by nothing", UNREAD, mend)
    borne = [name for name in [*told, *matched] if name not in lacking]
    if borne:
        yield seen.say("ok", f"kube_{key}", f"bears {', '.join(borne)}")
