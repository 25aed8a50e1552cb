"""What may be typed where a parser leaves the choice to the daemon. It alone decides; here it only helps to type."""

from reverie.cli.clients.catalog import AGENTS
from reverie.cli.hooks.harness import EVENTS, HARNESSES

KINDS = (
    "identity", "relationship", "fact", "decision", "document", "preference", "event", "activity", "plan", "context",
    "ephemeral",
)  # fmt: skip
SYSTEMS = ("semantic", "procedural", "episodic", "working")
STATES = ("active", "stale", "archived", "deleted")
PROFILES = (
    "adaptive", "relevance", "balanced", "recent", "important", "historical", "comprehensive", "effective", "hebbian",
)  # fmt: skip
JOBS = ("decay", "sleep", "consolidate", "prune", "purge", "snapshot", "maintain")

SUGGESTED: dict[str, tuple[str, ...]] = {
    "--kind": KINDS,
    "--system": SYSTEMS,
    "--state": STATES,
    "--profile": PROFILES,
    "--harness": tuple(HARNESSES),
    "run JOB": JOBS,
    "setup CLIENT": tuple(AGENTS),
    "hook EVENT": tuple(EVENTS),
}
