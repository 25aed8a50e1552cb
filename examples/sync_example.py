"""An agent's turn with memory, without asyncio: know what is known, answer, keep what was learnt.

Run it beside a daemon: `python examples/sync_example.py`.
"""

from reverie import Client, DaemonUnavailable, ReverieError

QUESTION = "Which day is the release, and who decides?"


def remember_the_project(memory: Client) -> None:
    """A key makes it safe to run this any number of times."""
    memory.store("The release is on Friday", kind="plan", tags=["release"], key="example-release")
    memory.store("Grace decides whether we release", kind="decision", tags=["release"], key="example-grace")
    memory.store_many(["Staging is rebuilt every night", "The changelog is written by hand"], key="example-more")


def prompt_for(memory: Client, question: str) -> str:
    """What is known goes before the question, as a block that a memory's own words cannot leave."""
    return f"{memory.context(question, token_budget=500).block}\n\n{question}"


def learn(memory: Client, question: str) -> None:
    """What helped ranks higher next time; what the agent concluded becomes a memory of its own."""
    for found in memory.recall(question, limit=2).memories:
        memory.reinforce(found.id)
        print(f"[id:{found.id}] helped: {found.content}")
    stored = memory.store("Ask Grace before Friday's release", kind="plan", source="agent", key="example-ask")
    print(f"[id:{stored.id}] {stored.outcome}")


def main() -> int:
    try:
        with Client(namespace="example", name="sync-example") as memory:
            remember_the_project(memory)
            print(prompt_for(memory, QUESTION))
            learn(memory, QUESTION)
    except DaemonUnavailable as error:
        print(f"{error.message}\n{error.hint}")
        return 69
    except ReverieError as error:
        print(f"{error.code}: {error.message}")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
