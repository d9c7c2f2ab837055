#!/usr/bin/env python3
"""The product's commands: `manage.py help` lists them."""

import os
import sys

from django.core.management import execute_from_command_line
from django.db import ProgrammingError

NOT_MIGRATED = ("42P01", "42703")  # PostgreSQL's undefined_table and undefined_column

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "finops.settings")
try:
    execute_from_command_line(sys.argv)
    sys.stdout.flush()
except BrokenPipeError:  # the reader has seen enough, as `head` does; python would complain again at its end
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(1)
except ProgrammingError as error:
    if getattr(error.__cause__, "sqlstate", "") not in NOT_MIGRATED or "--traceback" in sys.argv:
        raise
    sys.exit(f"{str(error).splitlines()[0]}: the database is empty or older than the product; run manage.py migrate")
