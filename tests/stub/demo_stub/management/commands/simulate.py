"""simulate load | serve, as the supervisor calls them: each call is noted in the folder NOTED."""

import http.server
import os
import signal
import sys
import time
from pathlib import Path

from django.core.management.base import BaseCommand

from finops.models import Cluster


class Command(BaseCommand):
    def add_arguments(self, parser):
        parser.add_argument("what", choices=("load", "serve"))
        parser.add_argument("--days", type=int)
        parser.add_argument("--port", type=int, required=True)

    def handle(self, *args, what, days, port, **options):
        noted = Path(os.environ["NOTED"])
        with noted.open("a") as file:
            file.write(f"{what} {days or port}\n")
        if what == "serve":
            signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
            http.server.HTTPServer(("127.0.0.1", port), http.server.SimpleHTTPRequestHandler).serve_forever()
        elif days == 70:
            time.sleep(float(os.environ.get("HISTORY_TAKES", "0")))
        else:
            Cluster.objects.get_or_create(name="demo", defaults={"source": {"prometheus": {"url": f"http://127.0.0.1:{port}"}}})
