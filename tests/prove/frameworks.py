"""Run in an environment with the real frameworks: the adapters are what these take them for. Exits 1 when not."""

import asyncio
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
from agents.memory import Session
from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, MatchCondition, PutOp, SearchItem, SearchOp
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from reverie import AsyncClient, Client
from reverie.adapters.langgraph import ReverieStore
from reverie.adapters.openai_agents import ReverieSession


class Echo(Model):
    """A model that answers with how much it was given."""

    async def get_response(self, system_instructions: Any, input: Any, *rest: Any, **named: Any) -> ModelResponse:
        count = len(input) if isinstance(input, list) else 1
        text = ResponseOutputText(text=f"{count} items seen", type="output_text", annotations=[])
        message = ResponseOutputMessage(
            id="m", content=[text], role="assistant", status="completed", type="message"
        )  # fmt: skip
        return ModelResponse(output=[message], usage=Usage(), response_id=None)

    def stream_response(self, *rest: Any, **named: Any) -> Any:
        raise NotImplementedError


def prove_store(client: Client) -> None:
    store = ReverieStore(client)
    assert isinstance(store, BaseStore)
    home = ("people", "ada")
    assert store.batch([PutOp(home, "drink", {"text": "Ada prefers oolong tea"}), GetOp(home, "drink")])[0] is None
    (item,) = store.batch([GetOp(home, "drink")])
    assert isinstance(item, Item)
    assert item.value == {"text": "Ada prefers oolong tea"}
    (found,) = store.batch([SearchOp(("people",), query="oolong")])
    assert isinstance(found[0], SearchItem)
    assert found[0].score > 0
    assert store.batch([ListNamespacesOp((MatchCondition("prefix", ("people",)),))]) == [[home]]
    assert BaseStore.get(store, home, "drink").key == "drink"
    BaseStore.delete(store, home, "drink")
    assert BaseStore.search(store, home) == []


async def prove_session() -> None:
    set_tracing_disabled(True)
    async with AsyncClient() as client:
        session = ReverieSession("talk", client)
        assert isinstance(session, Session)
        agent = Agent(name="echo", model=Echo())
        assert (await Runner.run(agent, "hello", session=session)).final_output == "1 items seen"
        assert (await Runner.run(agent, "again", session=session)).final_output == "3 items seen"
        assert next(item.get("content") for item in await session.get_items(2)) == "again"
        assert len(await session.get_items()) == 4
        await session.clear_session()
        assert await session.get_items() == []


def main() -> None:
    with Client() as client:
        prove_store(client)
    asyncio.run(prove_session())
    print("both frameworks are served")


if __name__ == "__main__":
    main()
