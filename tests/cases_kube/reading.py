"""Pages of kube-state-metrics read the product's own way: from text over a source to tidy rows, without a database."""

from collections.abc import Iterable
from pathlib import Path

from ingest.collect import cut, fetch
from ingest.sources.openmetrics import open_file
from ingest.tidy.answers import Answers

SAMPLES = Path(__file__).resolve().parents[1] / "samples"


def scraped(name: str, times: Iterable[float], *, more: str = "") -> list[str]:
    """The page of that name as it would be stored if each of `times` (unix seconds) had scraped it; `more`: labels of the target."""
    page = [line for line in (SAMPLES / f"{name}.txt").read_text().splitlines() if line and not line.startswith("#")]
    return [f"{_labelled(line, more)} {time:.0f}" for line in page for time in times]


def _labelled(line: str, more: str) -> str:
    return line.replace("{", "{" + more + ",", 1) if more else line


def answers(lines: Iterable[str], folder: Path, *, start: float, hours: int = 1) -> Answers:
    """What one span from `start` is made of when these lines are all there is."""
    (folder / "page.om").write_text("\n".join([*lines, "# EOF", ""]))
    end = start + 3600 * hours
    return cut(fetch(open_file(folder / "page.om"), [(start, end)]), start, end)


def series(name: str, labels: dict[str, str], value: float, times: Iterable[float]) -> list[str]:
    """One series of a constant value."""
    told = ",".join(f'{key}="{text}"' for key, text in labels.items())
    return [f"{name}{{{told}}} {value:.15g} {time:.0f}" for time in times]
