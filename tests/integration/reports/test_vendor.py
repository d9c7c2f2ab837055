"""Other people's files that are served: the right version, each with its licence."""

from pathlib import Path

import plotly

STATIC = Path(__file__).parents[3] / "static"


def test_the_served_chart_library_is_the_one_that_checks_the_figures():
    inside = (Path(plotly.__file__).parent / "package_data" / "plotly.min.js").read_text(encoding="utf-8")[:200]
    served = (STATIC / "vendor" / "plotly-basic.min.js").read_text(encoding="utf-8")[:200]
    version = inside.split(" v", 1)[1].split()[0]
    assert f"plotly.js (basic - minified) v{version}\n" in served


def test_every_file_of_others_has_its_licence_beside_it():
    for name in ("fonts/inter.LICENSE.txt", "vendor/htmx.LICENSE.txt", "vendor/plotly-basic.LICENSE.txt"):
        assert len((STATIC / name).read_text()) > 300
    assert "SIL Open Font License" in (STATIC / "fonts/inter.LICENSE.txt").read_text()
