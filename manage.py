#!/usr/bin/env python3
"""The product's commands: `manage.py help` lists them."""

import os
import sys

from django.core.management import ManagementUtility, get_commands
from django.db import ProgrammingError

OURS = ("finops", "ingest", "reports")
NOT_MIGRATED = ("42P01", "42703")  # PostgreSQL's undefined_table and undefined_column


class Product(ManagementUtility):
    """Django's own, but that `help` says what each of our commands is for and leaves out forty that are Django's."""

    def main_help_text(self, commands_only: bool = False) -> str:
        if commands_only:
            return super().main_help_text(commands_only)
        names = sorted(name for name, app in get_commands().items() if app in OURS)
        told = [f"    {name.ljust(max(map(len, names)))}  {self.fetch_command(name).help}" for name in names]
        foot = "`manage.py help COMMAND` lists a command's options, `manage.py help --commands` Django's commands as well (migrate, changepassword, …)."
        return "\n".join(["The product's commands:", "", *told, "", foot])



os.environ.setdefault("DJANGO_SETTINGS_MODULE", "finops.settings")
try:
    Product(sys.argv).execute()
    sys.stdout.flush()
except BrokenPipeError:  # the reader has seen enough, as `head` does; python would complain again at its end
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(1)
except ProgrammingError as error:
    if getattr(error.__cause__, "sqlstate", "") not in NOT_MIGRATED or "--traceback" in sys.argv:
        raise
    sys.exit(f"{str(error).splitlines()[0]}: the database is empty or older than the product; run manage.py migrate")
