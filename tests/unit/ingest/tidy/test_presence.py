"""Boards by a node's labels."""

import pytest

from ingest.tidy.presence import counted, model_of_type

AWS = {"karpenter_k8s_aws_instance_gpu_count": "4", "karpenter_k8s_aws_instance_gpu_manufacturer": "nvidia", "karpenter_k8s_aws_instance_gpu_name": "a10g"}


@pytest.mark.parametrize(("labels", "boards", "model"), [
    ({}, 0, ""),
    ({"nvidia_com_gpu_count": "8"}, 8, ""),
    ({"nvidia_com_gpu_count": "many"}, 0, ""),
    (AWS, 4, "a10g"),
    (AWS | {"nvidia_com_gpu_count": "3"}, 3, "a10g"),
    (AWS | {"karpenter_k8s_aws_instance_gpu_manufacturer": "amd"}, 0, ""),
])  # fmt: skip
def test_boards_and_model(labels: dict[str, str], boards: int, model: str) -> None:
    assert (counted(labels), model_of_type(labels)) == (boards, model)
