"""Every command: where it lives and what it does, without importing any of them."""

from typing import NamedTuple


class Entry(NamedTuple):
    module: str
    summary: str


GROUPS: dict[str, dict[str, Entry]] = {
    "remember and recall": {
        "store": Entry("storing", "remember something"),
        "ingest": Entry("ingest", "take in a file, a directory or a pipe, cut into memories"),
        "recall": Entry("recalling", "find the memories that answer a question"),
        "context": Entry("recalling", "print what is known as a block to put before a model"),
        "why": Entry("recalling", "say why a memory was, or was not, an answer"),
        "get": Entry("reading", "show memories by id"),
        "list": Entry("reading", "list memories, newest first"),
        "timeline": Entry("reading", "show memories in the order things happened"),
        "session": Entry("sessions", "begin or end a session, or list those that were"),
        "sessions": Entry("sessions", "list the sessions that were"),
        "narrative": Entry("narratives", "write down where things stand, or read it again"),
        "narratives": Entry("narratives", "read where things stood, the last time first"),
        "entities": Entry("entities", "list who and what the memories name"),
        "relations": Entry("entities", "show how someone or something stands to others"),
        "related": Entry("links", "show what a memory belongs together with"),
        "path": Entry("links", "show how two memories are connected"),
        "graph": Entry("links", "show or draw what lies around a memory"),
    },
    "teach and correct": {
        "update": Entry("changing", "change the words, title or tags of a memory"),
        "reinforce": Entry("changing", "say that a memory was useful"),
        "demote": Entry("changing", "say that a memory was not useful"),
        "pin": Entry("changing", "keep a memory from ever fading"),
        "unpin": Entry("changing", "let a pinned memory fade again"),
        "tag": Entry("changing", "add tags to a memory"),
        "untag": Entry("changing", "take tags off a memory"),
        "supersede": Entry("changing", "put a newer memory in the place of an older one"),
        "link": Entry("links", "say that two memories belong together"),
        "unlink": Entry("links", "say that they do not"),
        "conflicts": Entry("conflicts", "show memories that contradict each other"),
        "resolve": Entry("conflicts", "say which of two contradicting memories holds"),
    },
    "let go": {
        "archive": Entry("changing", "move a memory out of everyday recall"),
        "restore": Entry("changing", "bring an archived or deleted memory back"),
        "delete": Entry("changing", "delete a memory (restorable)"),
        "erase": Entry("erasing", "remove a memory's words from every file, for good"),
    },
    "forgetting": {
        "stats": Entry("forgetting", "show how memories are spread and what will change"),
        "curve": Entry("forgetting", "draw how a memory fades"),
        "jobs": Entry("jobs", "show when jobs ran and what they did"),
        "run": Entry("jobs", "run a job now, or say what it would do"),
    },
    "connect agents": {
        "mcp": Entry("mcp", "serve memory to an agent over standard input and output"),
        "hook": Entry("hook", "answer an agent's hook: give context, keep what was said"),
        "setup": Entry("setup", "connect an agent: show, write or remove its configuration"),
    },
    "look into the log": {
        "log": Entry("log", "tell what happened, a sentence each"),
        "history": Entry("events", "show how a memory came to be what it is"),
        "events": Entry("events", "show or follow the event log"),
    },
    "in and out": {
        "import": Entry("importing", "take in memories of another program, or of this one"),
        "export": Entry("exporting", "write every record, the raw log, or notes for people"),
    },
    "look after the daemon": {
        "status": Entry("health", "show how the daemon is doing"),
        "top": Entry("top", "watch it: requests, writer, embedder, jobs, what happens"),
        "doctor": Entry("doctor", "check everything and say how to mend it"),
        "verify": Entry("health", "prove that nothing was lost or altered"),
        "ping": Entry("health", "ask whether the daemon answers"),
        "rebuild": Entry("upkeep", "make state anew from the log, now or as it was"),
        "backup": Entry("upkeep", "write a verified copy of the log"),
        "model": Entry("models", "show, choose or fetch the model behind semantic recall"),
        "config": Entry("settings", "show, check or reload the configuration"),
        "service": Entry("service", "install and run the daemon under systemd"),
    },
    "this program": {
        "completion": Entry("completion", "print what bash, zsh or fish needs to complete it"),
        "man": Entry("man", "print the manual page"),
    },
}

COMMANDS: dict[str, Entry] = {name: entry for group in GROUPS.values() for name, entry in group.items()}


def overview() -> str:
    lines = ["usage: reverie [options] COMMAND ...", "", "The memory of the agents on this machine.", ""]
    for title, group in GROUPS.items():
        lines += [f"{title}:", *(f"  {name:<11} {entry.summary}" for name, entry in group.items()), ""]
    return "\n".join([*lines, *_OPTIONS])


_OPTIONS = (
    "options, before or after the command:",
    "  --socket PATH        the daemon's socket (default: $REVERIE_SOCKET or the user's runtime directory)",
    "  -n, --namespace NAME whose memory (default: default)",
    "  --json               one JSON object per line, times in ISO 8601",
    "  --timeout SECONDS    how long to wait for an answer",
    "  --no-color           plain text, as with NO_COLOR set",
    "  --version            show the version",
    "",
    "`reverie COMMAND --help` has the details and examples.",
)
