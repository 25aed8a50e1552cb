"""What became of a command, in one line."""

from reverie.cli.console import Console, visible
from reverie.protocol.results import Written


def show_written(written: Written, console: Console) -> None:
    if console.as_json:
        console.emit(_fields(written))
        return
    remarks = [*written.notes, *(["this key was used before"] if written.repeated else [])]
    about = console.dim(f" ({visible('; '.join(remarks))})") if remarks else ""
    console.line(f"{console.bold(f'[id:{written.id}]')} {visible(written.outcome)}{about}")


def _fields(written: Written) -> dict[str, object]:
    """Also those that the wire leaves out: a script should not have to ask whether a field is there."""
    return {name: getattr(written, name) for name in written.__struct_fields__}
