#!/usr/bin/env python3
"""The product's commands: `manage.py help` lists them."""

import os
import sys

from django.core.management import execute_from_command_line

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "finops.settings")
try:
    execute_from_command_line(sys.argv)
    sys.stdout.flush()
except BrokenPipeError:  # the reader has seen enough, as `head` does; python would complain again at its end
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(1)
