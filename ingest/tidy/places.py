"""On which node a device is."""

from collections import defaultdict
from collections.abc import Mapping

from ingest.tidy.answers import Answers
from ingest.tidy.rows import POD_LABELS


class Places:
    """From a series to its node: the target's label, the host name, the address scraped, then the pods it names."""

    def __init__(self, answers: Answers, names: set[str]) -> None:
        self.names = names
        self.short = {name.split(".")[0]: name for name in names}
        self.pods: dict[tuple[str, str], str] = {}
        self.addresses: dict[str, str] = {}
        nodes: dict[str, set[str]] = defaultdict(set)
        for labels, _ in answers.last("pod_info"):
            node = labels.get("node", "")
            self.pods[labels.get("namespace", ""), labels.get("pod", "")] = node
            nodes[labels.get("pod", "")].add(node)
            for key in ("host_ip", "pod_ip"):
                if labels.get(key) and node:
                    self.addresses.setdefault(labels[key], node)
        self.addresses |= {labels.get("internal_ip", ""): labels.get("node", "") for labels, _ in answers.last("node_info")}
        self.unique = {pod: next(iter(found)) for pod, found in nodes.items() if len(found) == 1}

    def node(self, labels: Mapping[str, str]) -> str:
        """"" where nothing tells."""
        for name in (labels.get("node", ""), labels.get("Hostname") or labels.get("hostname", "")):
            if name in self.names:
                return name
            if name and name.split(".")[0] in self.short:
                return self.short[name.split(".")[0]]
            if name and name in self.unique:
                return self.unique[name]
        address = self.addresses.get(labels.get("instance", "").rsplit(":", 1)[0], "")
        return address or self._by_pod(labels)

    def _by_pod(self, labels: Mapping[str, str]) -> str:
        """A pod is where its board is; the same name in another namespace is another pod."""
        for pod, namespace in POD_LABELS:
            if node := self.pods.get((labels.get(namespace, ""), labels.get(pod, ""))):
                return node
        return self.unique.get(labels.get("pod", ""), "")
