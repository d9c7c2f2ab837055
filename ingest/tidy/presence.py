"""GPU nodes that name no GPU capacity: not registered yet, their device plugin away, or GPUs given by claims. Labels count their boards."""

from collections.abc import Mapping

AWS = "karpenter_k8s_aws_instance_gpu_"


def counted(labels: Mapping[str, str]) -> int:
    """NVIDIA boards by a node's labels, as kube-state-metrics spells them; 0 where none tells.

    GPU feature discovery counts what it finds; Karpenter's AWS provider what the instance type has, before any driver runs.
    """
    own = labels.get("nvidia_com_gpu_count", "")
    of_type = labels.get(f"{AWS}count", "") if labels.get(f"{AWS}manufacturer") == "nvidia" else ""
    return next((int(text) for text in (own, of_type) if text.isdecimal()), 0)


def model_of_type(labels: Mapping[str, str]) -> str:
    """The model that Karpenter's AWS provider names, "" where it names none."""
    return labels.get(f"{AWS}name", "") if labels.get(f"{AWS}manufacturer") == "nvidia" else ""
