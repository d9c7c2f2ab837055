"""A page's tables as text, as a reader sees them."""

from decimal import Decimal
from html.parser import HTMLParser

MINUS, UNKNOWN = "\u2212", "\u2013"


class Tables(HTMLParser):
    """`tables`: rows of cells of each table; a row's first cell without its second line, `small`."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: list[list[list[str]]] = []
        self.cell: list[str] | None = None
        self.hidden = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.cell = []
        elif tag == "small":
            self.hidden += 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "small":
            self.hidden -= 1
        elif tag in ("td", "th") and self.cell is not None:
            self.tables[-1][-1].append(" ".join("".join(self.cell).split()))
            self.cell = None

    def handle_data(self, data: str) -> None:
        if self.cell is not None and not self.hidden:
            self.cell.append(data)


def number(text: str) -> Decimal | None:
    """A printed figure as a number; a dash is none."""
    plain = text.replace(",", "").replace(MINUS, "-").rstrip("%")
    return None if plain == UNKNOWN else Decimal(plain)
