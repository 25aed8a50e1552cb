"""Commands about what belongs together: make or cut a link, and go along them."""

import argparse

from reverie.cli.arguments import Command, Parser, UsageError, add_ids, add_list_flag, memory_id, positive, share
from reverie.cli.connect import connect
from reverie.cli.console import Console, visible
from reverie.cli.remarks import some
from reverie.cli.written import show_written
from reverie.protocol.results import GraphReport, LinkView, PathReport

KINDS = ("related_to", "similar_to", "references", "part_of", "precedes", "follows", "authored_by")


def _add_pair(parser: Parser) -> None:
    parser.add_argument("id", metavar="A", type=memory_id)
    parser.add_argument("other", metavar="B", type=memory_id)


def _configure_link(parser: Parser) -> None:
    _add_pair(parser)
    parser.add_argument("--kind", choices=KINDS, default="related_to", help="how A stands to B (default: related_to)")
    parser.add_argument("--weight", type=share, default=1.0, metavar="X", help="how firmly, 0 to 1 (default: 1)")


def _link(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        show_written(client.link(args.id, args.other, kind=args.kind, weight=args.weight), console)
    return 0


def _configure_unlink(parser: Parser) -> None:
    _add_pair(parser)
    parser.add_argument("--kind", choices=(*KINDS, "co_recalled", "supersedes"), help="only this kind (default: all)")


def _unlink(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        show_written(client.unlink(args.id, args.other, kind=args.kind), console)
    return 0


def _configure_related(parser: Parser) -> None:
    add_ids(parser, many=False)
    add_list_flag(parser, "--kind", "only this kind")
    parser.add_argument("--limit", type=positive, default=50, metavar="N", help="at most this many (default: 50)")


def _related(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        report = client.related(args.id, kinds=args.kind, limit=args.limit)
    if console.as_json:
        console.emit(report)
        return 0
    for link in report.links:
        _show_link(link, console)
    if not report.links:
        console.note(f"[id:{report.memory}] stands alone")
    return 0


def _show_link(link: LinkView, console: Console) -> None:
    arrow = "←" if link.inverse else "→"
    told = [f"{link.strength:.2f}", link.how]
    told += [f"{link.together} times together"] if link.together else []
    told += [f"tags {', '.join(link.tags)}"] if link.tags else []
    told += [f"names {', '.join(link.entities)}"] if link.entities else []
    told += [link.state] if link.state != "active" else []
    console.line(f"{arrow} {link.kind} {console.bold(f'[id:{link.other}]')} {visible(link.title)}")
    console.line(f"    {console.dim(visible(' · '.join(told)))}")


def _configure_path(parser: Parser) -> None:
    _add_pair(parser)
    parser.add_argument("--hops", type=positive, default=6, metavar="N", help="at most this many links (default: 6)")


def _path(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        report = client.path(args.id, args.other, hops=args.hops)
    if console.as_json:
        console.emit(report)
    else:
        _show_path(report, args.hops, console)
    return 0 if report.steps else 1


def _show_path(report: PathReport, hops: int, console: Console) -> None:
    for step in report.steps:
        if step.kind is not None:
            arrow = "↑" if step.inverse else "↓"
            console.line(f"  {console.dim(f'{arrow} {step.kind} {step.strength:.2f}')}")
        console.line(f"{console.bold(f'[id:{step.memory}]')} {visible(step.title)}")
    if not report.steps:
        console.note(f"no way of {hops} links or fewer" + ("" if report.complete else " was found before giving up"))


def _configure_graph(parser: Parser) -> None:
    parser.add_argument(
        "id", metavar="ID", nargs="?", type=memory_id, help="around this memory; else the firmest links"
    )
    parser.add_argument("--hops", type=positive, default=2, metavar="N", help="how far (default: 2)")
    parser.add_argument("--limit", type=positive, default=50, metavar="N", help="at most this many (default: 50)")
    parser.add_argument("--out", metavar="FILE", help="write a picture (.svg) or the graph (.json)")


def _graph(args: argparse.Namespace, console: Console) -> int:
    if args.out is not None and not args.out.endswith((".svg", ".json")):
        raise UsageError(f"{args.out} ends neither in .svg nor in .json")
    with connect(args) as client:
        report = client.graph(args.id, hops=args.hops, limit=args.limit)
    if args.out is not None:
        _write(report, args.out)
        console.note(
            f"{visible(args.out)}: {some(len(report.nodes), 'memory', 'memories')}, {some(len(report.links), 'link')}"
        )
    elif console.as_json:
        console.emit(report)
    else:
        _show_graph(report, console)
    return 0


def _write(report: GraphReport, out: str) -> None:
    import msgspec

    from reverie.cli.graph_picture import svg

    try:
        with open(out, "wb") as file:
            file.write(svg(report) if out.endswith(".svg") else msgspec.json.encode(report) + b"\n")
    except OSError as error:
        raise UsageError(f"cannot write {out}: {error.strerror}") from error


def _show_graph(report: GraphReport, console: Console) -> None:
    titles = {node.id: node.title for node in report.nodes}
    for link in report.links:
        ends = (f"{console.bold(f'[id:{id_}]')} {visible(titles[id_])}" for id_ in (link.a, link.b))
        console.line(f" {console.dim(f'{link.kind} {link.strength:.2f}')} ".join(ends))
    if not report.links:
        console.note("nothing is linked here")
    if not report.complete:
        console.note("there is more around it: --hops or --limit show it")


COMMANDS = {
    "link": Command(_configure_link, _link, ("reverie link 12 15", "reverie link 12 15 --kind references")),
    "unlink": Command(_configure_unlink, _unlink, ("reverie unlink 12 15", "reverie unlink 12 15 --kind references")),
    "related": Command(_configure_related, _related, ("reverie related 12", "reverie related 12 --kind similar_to")),
    "path": Command(_configure_path, _path, ("reverie path 12 40", "reverie path 12 40 --hops 3 --json")),
    "graph": Command(_configure_graph, _graph, ("reverie graph 12 --hops 2", "reverie graph --out graph.svg")),
}
