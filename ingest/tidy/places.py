"""On which node a device is."""

from collections import defaultdict
from collections.abc import Mapping

from ingest.tidy.answers import Answers
from ingest.tidy.rows import POD_LABELS


class Places:
    """From a series to its node: the target's label, the host name, the address scraped, then the pods it names. What two nodes share tells neither."""

    def __init__(self, answers: Answers, names: set[str]) -> None:
        self.names = names
        self.pods: dict[tuple[str, str], str] = {}
        hosts, addresses, pods = (defaultdict[str, set[str]](set) for _ in range(3))
        for name in names:
            hosts[name.split(".")[0]].add(name)
        for labels, _ in answers.last("node_labels"):
            hosts[labels.get("label_kubernetes_io_hostname", "").split(".")[0]].add(labels.get("node", ""))
        for labels, _ in answers.last("pod_info"):
            node = labels.get("node", "")
            self.pods[labels.get("namespace", ""), labels.get("pod", "")] = node
            pods[labels.get("pod", "")].add(node)
            if node:
                for key in ("host_ip", "pod_ip"):
                    addresses[labels.get(key, "")].add(node)
        addresses |= {labels.get("internal_ip", ""): {labels.get("node", "")} for labels, _ in answers.last("node_info")}
        self.hosts, self.addresses, self.unique = _unique(hosts), _unique(addresses), _unique(pods)

    def node(self, labels: Mapping[str, str]) -> str:
        """"" where nothing tells."""
        for name in (labels.get("node", ""), labels.get("Hostname") or labels.get("hostname", "")):
            if name in self.names:
                return name
            if found := name and (self.hosts.get(name.split(".")[0]) or self.unique.get(name)):
                return found
        address = self.addresses.get(labels.get("instance", "").rsplit(":", 1)[0], "")
        return address or self._by_pod(labels)

    def _by_pod(self, labels: Mapping[str, str]) -> str:
        """A pod is where its board is; the same name in another namespace is another pod."""
        for pod, namespace in POD_LABELS:
            if node := self.pods.get((labels.get(namespace, ""), labels.get(pod, ""))):
                return node
        return self.unique.get(labels.get("pod", ""), "")


def _unique(found: Mapping[str, set[str]]) -> dict[str, str]:
    return {key: next(iter(nodes)) for key, nodes in found.items() if key and len(nodes) == 1}
