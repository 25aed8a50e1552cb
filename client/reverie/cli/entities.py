"""Commands about who and what the memories name."""

import argparse

from reverie.cli.arguments import Command, Parser, positive
from reverie.cli.connect import connect
from reverie.cli.console import Console, visible
from reverie.cli.remarks import some
from reverie.cli.times import age, now_us
from reverie.protocol.results import EntityView, RelationView

_TYPES = ("person", "organization", "location", "product", "concept", "event", "other")


def _configure_entities(parser: Parser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="only those with a word that begins like this")
    parser.add_argument("--type", choices=_TYPES, help="only these")
    parser.add_argument("--limit", type=positive, default=50, metavar="N", help="at most this many (default: 50)")


def _entities(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        report = client.entities(type=args.type, name=args.name, limit=args.limit)
    if console.as_json:
        console.emit(report)
        return 0
    for entity in report.entities:
        _show_entity(entity, console)
    if not report.entities:
        console.note("nobody and nothing is named yet")
    return 0


def _show_entity(entity: EntityView, console: Console) -> None:
    about = [
        entity.type,
        f"{some(entity.mentions, 'mention')} in {some(entity.memories, 'memory', 'memories')}",
        age(entity.last_seen_at, now_us()),
    ]
    also = [f"also {', '.join(entity.aliases)}"] if entity.aliases else []
    console.line(f"{console.bold(visible(entity.name))}  {console.dim(visible(' · '.join([*about, *also])))}")


def _configure_relations(parser: Parser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--limit", type=positive, default=50, metavar="N", help="at most this many (default: 50)")


def _relations(args: argparse.Namespace, console: Console) -> int:
    with connect(args) as client:
        report = client.relations(args.name, limit=args.limit)
    if console.as_json:
        console.emit(report)
        return 0
    for relation in report.relations:
        _show_relation(args.name, relation, console)
    if not report.relations:
        console.note(f"nothing is known of how {visible(args.name)} stands to others")
    return 0


def _show_relation(name: str, relation: RelationView, console: Console) -> None:
    ends = (relation.other, name) if relation.inverse else (name, relation.other)
    line = f"{visible(ends[0])} {relation.relation} {visible(ends[1])}"
    memories = " ".join(f"[id:{memory}]" for memory in relation.memories)
    console.line(f"{line}  {console.dim(f'strength {relation.strength:.2f} · {memories}')}")


COMMANDS = {
    "entities": Command(_configure_entities, _entities, ("reverie entities --type person", "reverie entities ada")),
    "relations": Command(_configure_relations, _relations, ("reverie relations 'Ada Lovelace'",)),
}
