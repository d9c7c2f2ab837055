"""One hour of one cluster, charged pool by pool: its lines, and what is doubtful about them."""

from decimal import Decimal
from fractions import Fraction

from finops import ledger, unallocated
from finops.accounting import silence, team_findings, withheld_findings
from finops.accounting.charge import Hold, Line, Pool, Span, charge
from finops.accounting.energy import energy
from finops.accounting.gpu_resources import CLAIM, measurable
from finops.accounting.hour_findings import RAN, Evidence, Tenancy, findings
from finops.accounting.leases import Lease, lease
from finops.accounting.money import stored
from finops.accounting.pieces import pieces
from finops.accounting.placement import Want, placement
from finops.accounting.touched import Charged, with_shares
from finops.book import Book
from finops.facts import Found, Held, Node

Pieces = dict[str, list[Hold]]  # by lease


class Hour:
    """[start, end) in unix seconds, `found` its facts."""

    def __init__(self, book: Book, found: Found, start: int, end: int) -> None:
        self.book, self.found, self.start, self.end = book, found, start, end
        self.quarters = [(q, min(q + 900, end)) for q in range(start, end, 900)]
        self.lines = ledger.Made()
        self.evidence = Evidence(cards=found.cards, blind=found.blind, team_labels=book.team_labels(start))

    def made(self) -> ledger.Made:
        """The hour's lines, holdings and findings."""
        for node in self.found.nodes:
            alive = max(self.start, node.start), min(self.end, node.end)
            if alive[1] > alive[0]:
                self._node(node, alive)
        self._homeless({node.name for node in self.found.nodes})
        self.evidence.kept = unallocated.distribute(self.lines, self.book, self.found.nodes, at=self.start)
        teams = team_findings.RULES if self.book.rules else ()  # without any rule nobody has been told of teams
        doubts = findings(self.evidence, more=(*teams, *silence.RULES, *withheld_findings.RULES))
        self.lines.findings = with_shares([*doubts, *self.found.told], self.evidence.lines)
        return self.lines

    def _node(self, node: Node, alive: Span) -> None:
        reaching = _reaching(self.found.held.get(node.name, []), alive)
        leases = [(held, span, gpus) for held, span in reaching if (gpus := self._gpus(node, held)) is not None]
        wants = [Want(held.id, gpus, int(span.start), int(span.end), self.found.models.get(held.id, {})) for held, span, gpus in leases]
        parts, unplaced = placement(wants, node.models)
        self.evidence.unplaced |= unplaced
        if not any(node.capacity.values()):
            self.evidence.untold[node.name] = sum(node.models.values())
        for model, boards in node.models.items():
            holds = [self._hold(held, span, gpus * part, model, alive) for held, span, gpus in leases if (part := parts[held.id].get(model))]
            self._pool(node, model, Pool(boards, *alive), holds)
        self._doubts(node, alive, [(held, span) for held, span in reaching if self._gpus(node, held) is None])

    def _gpus(self, node: Node, held: Held) -> Fraction | None:
        """What a lease holds; None where it is claims whose devices no hour shows."""
        if held.resource != CLAIM:
            return node.unit_share(held.resource) * held.quantity
        seen = self.found.models.get(held.id, {})
        return sum((Fraction(gpus).limit_denominator(5040) for gpus in seen.values()), Fraction(0)) if seen else None

    def _doubts(self, node: Node, alive: Span, unknown: list[tuple[Held, Lease]]) -> None:
        """Notes what of the node no pod could get, and the pods of which nothing tells what their claims give them."""
        hours = Fraction(alive[1] - alive[0], 3600)
        for kind, gpus in node.withheld.items():
            self.evidence.withheld.append((kind, node.name, round(float(Fraction(gpus)), 6), round(float(Fraction(gpus) * hours), 6)))
        seconds = round(sum(min(span.end, alive[1]) - max(span.start, alive[0]) for _, span in unknown))
        free = min(self.evidence.free.get(node.name, Decimal(0)), stored(Decimal(sum(node.models.values()) * seconds) / 3600))
        if free:
            self._teams_of(node, unknown, alive, "")
            self.evidence.claims[node.name] = [held.id for held, _ in unknown], free

    def _teams_of(self, node: Node, leases: list[tuple[Held, Lease]], alive: Span, model: str, *, lost: bool = False) -> None:
        """Notes leases that no line is made of, with their teams. `lost`: what they held is in no total, and a finding has to tell how much."""
        for held, span in leases:
            hold, holdings = self._hold(held, span, Fraction(held.quantity), model, alive), dict[str, dict]()
            cut = self._cut(node, model, hold, holdings)
            self.evidence.lines += [_uncharged(piece, holdings[piece.id]) for piece in cut if lost]
            self._note(node, hold, [each["team"] for each in holdings.values()])

    def _hold(self, held: Held, span: Lease, gpus: Fraction, model: str, alive: Span) -> Hold:
        return Hold(
            held.id,
            gpus,
            max(int(span.start), alive[0]),
            min(max(int(span.started), alive[0]), alive[1]),
            min(int(span.end), alive[1]),
            self.found.measured.get((held.id, model), {}),
            self.found.used.get((held.id, model), {}),
            None if span.seen else held.seen.last_held,
        )

    def _pool(self, node: Node, model: str, pool: Pool, holds: list[Hold]) -> None:
        """Charges the boards of one model on one node."""
        prices = self.book.prices(node, model, (pool.start, pool.end))
        cut: Pieces = {}
        holdings = {"": self.book.nobody(node, model)}
        for hold in holds:
            cut[hold.id] = self._cut(node, model, hold, holdings)
            self._note(node, hold, [holdings[piece.id]["team"] for piece in cut[hold.id]])
        lines, excess = charge(pool, [piece for group in cut.values() for piece in group], prices, self.quarters)
        if excess:
            self.evidence.over.append((node.name, model, tuple(cut), excess))
        self.evidence.lines += [_charged(line, holdings[line.id]) for line in lines]
        kwh = self._energy(node, model, pool, cut, [(start, end) for start, end, _ in prices])
        self.evidence.free[node.name] += sum((line.hours.get("unallocated", Decimal(0)) for line in lines), Decimal(0))
        for line in lines:
            self.lines.add(line, holdings[line.id], kwh.get((line.id, line.start)))
            if line.price is None:
                self.evidence.unpriced[self.book.unpriced(node, model, at=line.start)] += sum(line.hours.values())

    def _cut(self, node: Node, model: str, hold: Hold, holdings: dict[str, dict]) -> list[Hold]:
        """The lease in pieces that are each one team's; adds what each is to `holdings`."""
        pod = self.found.pods[hold.id]
        moments = [hold.start, *self.book.turns_of(pod, hold)]
        said = [self.book.holding(pod, node, model, at=at) for at in moments]
        turns = [n for n in range(1, len(moments)) if said[n] != said[n - 1]]
        cut = pieces(hold, [moments[n] for n in turns])
        holdings |= {piece.id: said[n] for piece, n in zip(cut, [0, *turns], strict=True)}
        return cut

    def _note(self, node: Node, hold: Hold, teams: list[str]) -> None:
        pod = self.found.pods[hold.id]
        words = (self.book.claimed(pod, node, at=at) for at in (hold.start, *self.book.turns_of(pod, hold)))
        self.evidence.worn.update(name for said in pod.own for name, value in said.labels.items() if value)
        self.evidence.tenancies.append(
            Tenancy(
                hold.id,
                f"{pod.namespace}/{pod.pod}",
                node.name,
                tuple(dict.fromkeys(teams)),
                hold.end - hold.started,
                sum(hold.measured.values()),
                next(filter(None, words), ""),
                measurable(hold.id.split(" ")[-1]),
            )
        )

    def _homeless(self, known: set[str]) -> None:
        """Notes the leases on nodes of which no facts tell."""
        alive = self.start, self.end
        for name in sorted(self.found.held.keys() - known):
            node = Node(name, *alive, {}, {}, "", "", "", {})
            # A claim on a node without GPUs gives something else.
            lost = [(held, span) for held, span in _reaching(self.found.held[name], alive) if self._gpus(node, held) is not None]
            lost = [(held, span) for held, span in lost if min(span.end, alive[1]) - max(span.start, alive[0]) >= RAN]
            self._teams_of(node, lost, alive, "", lost=True)
            if lost:
                self.evidence.homeless[name] = [held.id for held, _ in lost]

    def _energy(self, node: Node, model: str, pool: Pool, cut: Pieces, spans: list[Span]) -> dict[tuple[str, int], float]:
        held = {id_: self.found.joules[id_, model] for id_ in cut if (id_, model) in self.found.joules}
        rest = self.found.rest.pop((node.name, model), {})  # once, where two machines bore the name
        return energy(pool, cut, spans, held=held, rest=rest)


def _charged(line: Line, holding: dict) -> Charged:
    priced = "no" if line.price is None else "yes"
    return Charged(_names(line.id, holding) | {"priced": priced}, line.hours, line.costs)


def _uncharged(piece: Hold, holding: dict) -> Charged:
    """What a lease held on no known node."""
    hours = stored(Decimal(piece.gpus.numerator * (piece.end - piece.start)) / (piece.gpus.denominator * 3600))
    return Charged(_names(piece.id, holding) | {"priced": "no"}, {"unmeasured": hours}, None)


def _names(piece: str, holding: dict) -> dict[str, str]:
    """What a finding may ask for; `piece` is the lease, numbered from its second piece on."""
    told = {name: holding[name] for name in ("namespace", "team", "node", "node_pool", "gpu_model", "capacity_type")}
    return told | {"lease": " ".join(piece.split(" ")[:2]), "pod": f"{holding['namespace']}/{holding['pod']}" if holding["pod"] else ""}


def _reaching(held: list[Held], alive: Span) -> list[tuple[Held, Lease]]:
    """The leases that reach into `alive`."""
    spans = [(each, lease(each.seen)) for each in held]
    return [(each, span) for each, span in spans if span and span.end > alive[0] and span.start < alive[1]]
