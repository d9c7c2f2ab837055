#!/usr/bin/env python3
"""The product's commands: `manage.py help` lists them."""

import os
import sys

from django.core.management import execute_from_command_line

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "finops.settings")
execute_from_command_line(sys.argv)
