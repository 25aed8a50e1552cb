"""The daemon's side of the worker: starts it on first need, lets it go when idle, never waits longer than told.

One batch is with the worker at a time; what is urgent goes before what is not. A worker that dies or hangs takes the
batch it holds with it: that batch is given to the next worker, for as long as whoever asked is still waiting.
"""

import asyncio
import logging
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence

import msgspec

from reveried.embed.errors import EmbedderUnavailable
from reveried.embed.policy import EmbeddingPolicy
from reveried.embed.resolve import Missing, Model, resolve
from reveried.embed.worker import HEADER
from reveried.ports import Embedder, EmbedderCondition

FIRST_BACKOFF, LONGEST_BACKOFF = 0.1, 30.0
# A worker that says nothing for this long over one small batch is taken for hung.
HUNG = 30.0
_log = logging.getLogger(__name__)


class Said(msgspec.Struct):
    """A frame from the worker: that it is ready, that it refuses, or the vectors of a batch."""

    ready: bool = False
    refused: str = ""
    vectors: list[bytes] = []


class Asked(msgspec.Struct):
    texts: list[str]
    done: "asyncio.Future[list[bytes]]"


class WorkerEmbedder:
    def __init__(self, model: Model, idle: float) -> None:
        self._model = model
        self._idle = idle
        self._urgent: deque[Asked] = deque()
        self._patient: deque[Asked] = deque()
        self._arrived = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._state, self._reason, self._restarts = "cold", "", 0
        self._backoff = FIRST_BACKOFF
        if model.runtime == "hashing":
            self._note = "the hashing embedder knows nothing of meaning; it is for tests"
        else:
            self._note = ""

    @property
    def id(self) -> str:
        return self._model.manifest.id

    @property
    def dimension(self) -> int:
        return self._model.manifest.dimension

    @property
    def scripts(self) -> str:
        return self._model.manifest.scripts

    @property
    def condition(self) -> EmbedderCondition:
        return EmbedderCondition(
            state=self._state,
            reason=self._reason or self._note,
            runtime=self._model.runtime,
            model=self._model.manifest.name,
            restarts=self._restarts,
        )

    def warm(self) -> None:
        if self._keeper is None or self._keeper.done():
            self._keeper = asyncio.get_running_loop().create_task(self._keep())

    async def embed(self, texts: Sequence[str], deadline: float, *, urgent: bool = False) -> list[bytes]:
        if self._state == "failed":
            raise EmbedderUnavailable(self._reason, hint="`reverie status` says more")
        asked = Asked(list(texts), asyncio.get_running_loop().create_future())
        (self._urgent if urgent else self._patient).append(asked)
        self._arrived.set()
        self.warm()
        try:
            return await asyncio.wait_for(asked.done, deadline)
        except TimeoutError:
            what = "starting" if self._state in ("cold", "starting") else "busy"
            reason = self._reason or f"the embedder is {what}; the answer comes from keywords alone"
            raise EmbedderUnavailable(reason, hint="ask again in a moment") from None

    async def close(self) -> None:
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        for asked in (*self._urgent, *self._patient):
            asked.done.cancel()

    async def _keep(self) -> None:
        """Until idle: one worker after another, with a growing pause between those that fail."""
        while True:
            try:
                if await self._serve():
                    return
            except (EOFError, OSError, TimeoutError) as error:
                if self._state == "failed":
                    return
                self._state, self._restarts = "starting", self._restarts + 1
                self._reason = f"the embedder's process ended ({type(error).__name__}); it is started again"
                _log.warning("%s in %.1f s", self._reason, self._backoff)
                await asyncio.sleep(self._backoff)
                self._backoff = min(LONGEST_BACKOFF, self._backoff * 2)

    async def _serve(self) -> bool:
        """Start a worker and give it what there is; True when it was idle long enough to let go."""
        self._state = "starting"
        reader, writer = await self._started()
        try:
            hello = await _read(reader)
            if hello.refused:
                self._fail(hello.refused)
                return True
            self._state, self._reason = "ready", ""
            while (asked := await self._next()) is not None:
                await self._give(asked, reader, writer)
            return True
        finally:
            writer.close()
            self._end()

    async def _started(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        ours, theirs = socket.socketpair()
        with theirs:
            # Forking a small process takes a millisecond; asyncio's own way would wrap pipes that are not used here.
            self._process = subprocess.Popen(  # noqa: ASYNC220
                [
                    sys.executable,
                    "-m",
                    "reveried.embed.worker",
                    str(theirs.fileno()),
                    msgspec.json.encode(self._model).decode(),
                ],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        return await asyncio.open_connection(sock=ours, limit=1 << 24)

    async def _give(self, asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        body = msgspec.msgpack.encode({"texts": asked.texts})
        writer.write(HEADER.pack(len(body)) + body)
        try:
            async with asyncio.timeout(HUNG):
                await writer.drain()
                answer = await _read(reader)
        except (EOFError, OSError, TimeoutError):
            self._urgent.appendleft(asked)
            raise
        self._backoff = FIRST_BACKOFF
        if not asked.done.done():
            asked.done.set_result(answer.vectors)

    async def _next(self) -> Asked | None:
        """What to do next; None after a long time without anything."""
        until = time.monotonic() + self._idle
        while True:
            for waiting in (self._urgent, self._patient):
                while waiting:
                    asked = waiting.popleft()
                    if not asked.done.done():  # whoever gave up is not worked for
                        return asked
            self._arrived.clear()
            try:
                await asyncio.wait_for(self._arrived.wait(), max(0.0, until - time.monotonic()))
            except TimeoutError:
                self._state = "cold"
                return None

    def _fail(self, reason: str) -> None:
        self._state, self._reason = "failed", f"the model was refused: {reason}"
        _log.error("%s", self._reason)
        for asked in (*self._urgent, *self._patient):
            if not asked.done.done():
                asked.done.set_exception(EmbedderUnavailable(self._reason))
        self._urgent.clear()
        self._patient.clear()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()


class NoEmbedder:
    """Stands where there is no model: everything is refused at once, with the reason."""

    id, dimension, scripts = "", 0, "all"

    def __init__(self, missing: Missing) -> None:
        self.condition = EmbedderCondition(state="none", reason=missing.reason, runtime="none", model="", restarts=0)

    def warm(self) -> None:
        return

    async def embed(self, texts: Sequence[str], deadline: float, *, urgent: bool = False) -> list[bytes]:
        raise EmbedderUnavailable(self.condition.reason)

    async def close(self) -> None:
        return


def embedder_for(policy: EmbeddingPolicy) -> Embedder:
    """What the configuration asks for, or the reason why it cannot be had."""
    found = resolve(policy)
    return NoEmbedder(found) if isinstance(found, Missing) else WorkerEmbedder(found, policy.idle)


async def _read(reader: asyncio.StreamReader) -> Said:
    try:
        (size,) = HEADER.unpack(await reader.readexactly(HEADER.size))
        return msgspec.msgpack.decode(await reader.readexactly(size), type=Said)
    except asyncio.IncompleteReadError as cut:
        raise EOFError("the worker's end was closed") from cut
