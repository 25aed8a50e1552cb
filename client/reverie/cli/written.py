"""What became of a command, in one line."""

from reverie.cli.console import Console, visible
from reverie.cli.remarks import remarks
from reverie.protocol.results import Written

SETTLED = {
    "new_used": "the new one holds",
    "existing_kept": "the known one holds",
    "merged": "both became one",
    "flagged": "somebody has to decide",
}


def show_written(written: Written, console: Console, *, what: str = "id:") -> None:
    if console.as_json:
        console.emit(_fields(written))
        return
    repeated = ["this key was used before"] if written.repeated else []
    said = [*_found(written), *remarks(written.notes), *repeated]
    about = console.dim(f" ({visible('; '.join(said))})") if said else ""
    console.line(f"{console.bold(f'[{what}{written.id}]')} {visible(written.outcome)}{about}")


def _found(written: Written) -> list[str]:
    """What it repeats or contradicts, and how to have it otherwise."""
    if written.conflict is not None:
        settled = SETTLED.get(written.resolution or "", written.resolution)
        return [f"contradicts [id:{written.against}]: {settled}", f"else `reverie resolve {written.conflict}`"]
    if written.similarity is not None:
        return [f"similarity {written.similarity:.2f}"]
    return ["still being compared"] if written.enrichment == "pending" else []


def _fields(written: Written) -> dict[str, object]:
    """Also those that the wire leaves out: a script should not have to ask whether a field is there."""
    return {name: getattr(written, name) for name in written.__struct_fields__}
