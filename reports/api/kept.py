"""The schema as it is kept in the repository: `manage.py spectacular --file reports/api/openapi.yaml` writes it anew."""

import hashlib
from functools import cache
from pathlib import Path

import yaml

FILE = Path(__file__).with_name("openapi.yaml")


@cache
def document() -> dict:
    return yaml.safe_load(FILE.read_text())


@cache
def digest() -> str:
    """Another one for each form of the answers."""
    return hashlib.sha256(FILE.read_bytes()).hexdigest()[:16]
