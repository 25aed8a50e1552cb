"""An endpoint that answers every request with the bytes it was given, however wrong they are."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Endpoint:
    def __init__(self, answer: bytes, *, hangs: bool = False) -> None:
        self._answer = answer
        self._hangs = hangs
        self.asked: list[bytes] = []
        self.url = ""
        self._serving: set[asyncio.Task[None]] = set()

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._serving.add(asyncio.ensure_future(self._serve(reader, writer)))

    async def ended(self) -> None:
        await asyncio.gather(*self._serving)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length"))
        self.asked.append(head + await reader.readexactly(length))
        writer.write(self._answer)
        try:
            await writer.drain()
            if self._hangs:
                await reader.read()  # until the other side has had enough
            writer.close()
            await writer.wait_closed()
        except ConnectionError:
            return  # It may leave as soon as it has seen too much.


@asynccontextmanager
async def endpoint(answer: bytes, *, hangs: bool = False) -> AsyncIterator[Endpoint]:
    serving = Endpoint(answer, hangs=hangs)
    server = await asyncio.start_server(serving.accept, "127.0.0.1", 0)
    serving.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield serving
    finally:
        server.close()
        await server.wait_closed()
        await serving.ended()
