"""The product's settings with a demo company of a cluster and nothing else, so that a start takes seconds."""

from finops.settings import *  # noqa: F403
from finops.settings import INSTALLED_APPS

INSTALLED_APPS = ["demo_stub", *INSTALLED_APPS]
