"""A graph of memories as SVG: on circles around the one asked for, by how far each is away."""

from collections.abc import Iterator
from math import cos, pi, sin
from xml.sax.saxutils import escape

from reverie.protocol.results import GraphReport

RING, MARGIN, RADIUS = 150, 120, 6
LONGEST = 28
INK, LINE = "#111111", "#64748b"
COLORS = {"co_recalled": "#2563eb", "similar_to": "#0f766e", "supersedes": "#b91c1c"}
Place = tuple[float, float]


def svg(report: GraphReport) -> bytes:
    places, size = _places(report)
    body = "\n".join([*_links(report, places), *_nodes(report, places)])
    box = f'viewBox="0 0 {size} {size}" width="{size}" height="{size}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} font-family="sans-serif">\n{body}\n</svg>\n'.encode()


def _places(report: GraphReport) -> tuple[dict[int, Place], int]:
    """Who stands where. Without one in the middle all stand on one circle."""
    rings: dict[int, list[int]] = {}
    centred = any(node.hops for node in report.nodes) or len(report.nodes) == 1
    for node in report.nodes:
        rings.setdefault(node.hops if centred else 1, []).append(node.id)
    size = 2 * (RING * max(rings, default=1) + MARGIN)
    places: dict[int, Place] = {}
    for ring, ids in rings.items():
        for at, id_ in enumerate(ids):
            angle = 2 * pi * at / len(ids)
            places[id_] = (
                round(size / 2 + RING * ring * cos(angle), 1),
                round(size / 2 + RING * ring * sin(angle), 1),
            )
    return places, size


def _links(report: GraphReport, places: dict[int, Place]) -> Iterator[str]:
    for link in report.links:
        (x1, y1), (x2, y2) = places[link.a], places[link.b]
        color, width = COLORS.get(link.kind, LINE), round(0.5 + 2.5 * link.strength, 1)
        yield (
            f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{color}" stroke-width="{width}">'
            f"<title>{escape(link.kind)} {link.strength:.2f}</title></line>"
        )


def _nodes(report: GraphReport, places: dict[int, Place]) -> Iterator[str]:
    for node in report.nodes:
        x, y = places[node.id]
        title = node.title if len(node.title) <= LONGEST else f"{node.title[: LONGEST - 1]}…"
        fill = INK if node.state == "active" else LINE
        yield f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="{fill}"/>'
        yield f'<text x="{x + RADIUS + 3}" y="{y + 4}" font-size="11">[{node.id}] {escape(_printable(title))}</text>'


def _printable(text: str) -> str:
    """XML knows no control characters, not even escaped ones."""
    return "".join(character if character.isprintable() else " " for character in text)
