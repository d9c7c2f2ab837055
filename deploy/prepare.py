"""What is done before the pages open, in one process: each of its own would load the product anew.

`prepare.py DESCRIPTOR SIMULATOR-PORT DEMO-LOGINS CONFIGURATION-FILE`; into the descriptor goes what the supervisor has to
know, as JSON: whether there is a demo cluster, whether it was made just now, and the log-ins to print.
"""

import io
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "finops.settings")

import django  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.management import CommandError, call_command  # noqa: E402

FIRST_DAYS = 8


def main(descriptor: str, port: str, demo_logins: str, file: str) -> None:
    django.setup()
    call_command("migrate", verbosity=0)
    call_command("apply", file, if_changed=True)
    from finops.models import Cluster

    if fresh := not Cluster.objects.exists():
        call_command("simulate", "load", "--days", str(FIRST_DAYS), "--port", port)
    demo = Cluster.objects.filter(name="demo", ended_at=None).exists()
    told = {"demo": demo, "fresh": fresh, "logins": _logins(demo=demo and demo_logins == "true")}
    with open(int(descriptor), "w") as answer:
        json.dump(told, answer)


def _logins(*, demo: bool) -> str:
    printed = io.StringIO()
    if demo:
        settings.DEBUG = True  # as it is for the pages; while loading it would have gathered queries
        call_command("create-demo-users", stdout=printed)
    else:
        call_command("create-admin", "--if-none", stdout=printed)
    return printed.getvalue()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except CommandError as error:
        sys.exit(str(error))
