"""The daemon's side of the worker: starts it on first need, lets it go when idle, never waits longer than told.

One batch is with the worker at a time. A worker that dies or hangs takes the batch it holds with it: that batch is
given to the next worker once more, for as long as whoever asked is still waiting.
"""

import asyncio
import logging
import socket
import subprocess
import sys
from collections.abc import Sequence

import msgspec

from reveried.embed.errors import EmbedderUnavailable, ModelRefused
from reveried.embed.frames import HEADER, Given, Said, framed
from reveried.embed.queue import Asked, Queue
from reveried.embed.resolve import Model
from reveried.ports import EmbedderCondition

FIRST_BACKOFF, LONGEST_BACKOFF = 0.1, 30.0
# A worker that keeps failing is started again only while somebody waits for it.
UNASKED_BACKOFF = 1.0
# Loading torch and a large model from a cold disk takes its time; longer than this is no loading any more.
SLOWEST_START = 120.0
# A worker that says nothing for this long over one small batch is taken for hung.
HUNG = 30.0
# When a question had to be answered without it, a worker is waited for only this long, or this many times as long as
# its slowest batch took: whoever asks next should find a new one, and a slow machine should not lose a good one.
SUSPECT, SUSPECT_TIMES = 2.0, 10.0
_log = logging.getLogger(__name__)


class WorkerEnded(EOFError):
    """The process ended; its last words, if it had any."""


class WorkerEmbedder:
    def __init__(self, model: Model, idle: float) -> None:
        self.model = model
        self.idle = idle
        self._queue = Queue()
        self._keeper: asyncio.Task[None] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._state, self._reason, self._restarts = "cold", "", 0
        self._backoff = FIRST_BACKOFF
        self._silence: asyncio.Timeout | None = None
        self._given_at, self._slowest = 0.0, HUNG
        hashing = model.runtime == "hashing"
        self._note = "the hashing embedder knows nothing of meaning; it is for tests" if hashing else ""

    @property
    def id(self) -> str:
        return self.model.manifest.id

    @property
    def dimension(self) -> int:
        return self.model.manifest.dimension

    @property
    def scripts(self) -> str:
        return self.model.manifest.scripts

    @property
    def condition(self) -> EmbedderCondition:
        return EmbedderCondition(
            state=self._state,
            reason=self._reason or self._note,
            runtime=self.model.runtime,
            model=self.model.manifest.name,
            restarts=self._restarts,
            directory=self.model.directory,
            pid=self._process.pid if self._process else None,
            mend=self.model.mend if self._state == "failed" else "",
        )

    def would_do_for(self, other: "WorkerEmbedder") -> bool:
        """Whether this one, as it is, makes what the other would."""
        return self.model == other.model and self._state not in ("failed", "closed")

    def warm(self) -> None:
        if self._state not in ("failed", "closed") and (self._keeper is None or self._keeper.done()):
            self._keeper = asyncio.get_running_loop().create_task(self._keep())

    async def embed(self, texts: Sequence[str], deadline: float, *, urgent: bool = False) -> list[bytes]:
        if self._state in ("failed", "closed"):
            raise self._unavailable()
        manifest = self.model.manifest
        template = manifest.query_template if urgent else manifest.text_template
        written = [template.replace("{}", text, 1) for text in texts]
        asked = Asked(written, urgent, asyncio.get_running_loop().create_future())
        self._queue.put(asked)
        self.warm()
        try:
            return await asyncio.wait_for(asked.done, deadline)
        except TimeoutError:
            if urgent:
                self._suspect()
            raise self._unavailable() from None

    async def close(self) -> None:
        self._state, self._reason = "closed", "the embedder is being replaced or the daemon stops"
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
        self._queue.refuse_all(self._unavailable)

    def _unavailable(self) -> EmbedderUnavailable:
        what = "starting" if self._state in ("cold", "starting") else "busy"
        reason = self._reason or f"the embedder is {what}; the answer comes from keywords alone"
        return EmbedderUnavailable(reason, hint="`reverie status` says more")

    async def _keep(self) -> None:
        """Until idle: one worker after another, with a growing pause between those that fail."""
        while self._state not in ("failed", "closed"):
            try:
                await self._serve()
                if not self._queue:  # nothing came in while the process was being ended
                    return
            except ModelRefused as refused:
                self._fail(refused.message)
            except (OSError, TimeoutError, EOFError, msgspec.MsgspecError) as error:
                self._state, self._restarts = "starting", self._restarts + 1
                self._reason = f"the embedder's process ended ({_why(error)}); it is started again"
                _log.warning("%s in %.1f s", self._reason, self._backoff)
                await asyncio.sleep(self._backoff)
                self._backoff = min(LONGEST_BACKOFF, self._backoff * 2)
                if self._backoff > UNASKED_BACKOFF and not self._queue:
                    self._state = "cold"
                    return

    async def _serve(self) -> None:
        """Start a worker and give it what there is, until there is nothing for long enough to let it go."""
        self._state = "starting"
        ours, theirs = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=ours, limit=1 << 24)
        try:
            with theirs:
                self._process = self._started(theirs.fileno())
            async with asyncio.timeout(SLOWEST_START):
                hello = await _read(reader)
            if hello.ended:
                raise ModelRefused(hello.ended)
            self._state, self._reason = "ready", ""
            while (asked := await self._queue.arrival(self.idle)) is not None:
                await self._give(asked, reader, writer)
            self._state = "cold"
        finally:
            writer.close()
            await self._end()

    def _started(self, channel: int) -> "subprocess.Popen[bytes]":
        # Forking a small process takes a millisecond; asyncio's own way would wrap pipes that are not used here.
        return subprocess.Popen(
            [sys.executable, "-m", "reveried.embed.worker", str(channel), msgspec.json.encode(self.model).decode()],
            pass_fds=[channel],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )

    async def _give(self, asked: Asked, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        self._given_at = loop.time()
        try:
            async with asyncio.timeout(HUNG) as self._silence:
                writer.write(framed(Given(asked.texts)))
                await writer.drain()
                answer = await _read(reader)
            if answer.ended:
                raise WorkerEnded(answer.ended)
        except asyncio.CancelledError:
            self._queue.again(asked)  # for `close`, which tells everyone who waits
            raise
        except (OSError, TimeoutError, EOFError):
            self._queue.blame(asked)
            raise
        finally:
            self._silence = None
        self._check(asked, answer)
        self._backoff = FIRST_BACKOFF
        took = loop.time() - self._given_at
        self._slowest = took if self._slowest == HUNG else max(self._slowest, took)
        self._queue.forgive(asked)
        if not asked.done.done():
            asked.done.set_result(answer.vectors)

    def _check(self, asked: Asked, answer: Said) -> None:
        """Vectors of another length than the manifest's would be compared with nothing, or with the wrong ones."""
        manifest, sizes = self.model.manifest, {len(vector) // 4 for vector in answer.vectors}
        count = len(asked.texts) - (1 if self.model.runtime == "cross-encoder" else 0)
        if len(answer.vectors) != count or sizes - {manifest.dimension}:
            self._queue.again(asked)
            made = f"{len(answer.vectors)} vectors of {', '.join(map(str, sizes))} numbers for {count} texts"
            raise ModelRefused(f"{manifest.name} made {made}; its manifest says {manifest.dimension} numbers")

    def _suspect(self) -> None:
        """A question was not answered in time: the worker that holds a batch now has little time left for it."""
        if self._silence is not None:
            patience = min(HUNG, max(SUSPECT, SUSPECT_TIMES * self._slowest))
            until, now = self._given_at + patience, asyncio.get_running_loop().time()
            self._silence.reschedule(max(now, min(until, self._silence.when() or until)))

    def _fail(self, reason: str) -> None:
        self._state, self._reason = "failed", f"the model was refused: {reason}"
        _log.error("%s", self._reason)
        self._queue.refuse_all(self._unavailable)

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            # Freeing its memory takes the kernel a moment, in which the daemon has other things to do.
            reaping = asyncio.create_task(asyncio.to_thread(process.wait))
            try:
                await asyncio.shield(reaping)
            except asyncio.CancelledError:
                await reaping  # whoever stops us must not find a zombie
                raise


def _why(error: BaseException) -> str:
    return "it did not answer" if isinstance(error, TimeoutError) else str(error) or type(error).__name__


async def _read(reader: asyncio.StreamReader) -> Said:
    try:
        (size,) = HEADER.unpack(await reader.readexactly(HEADER.size))
        return msgspec.msgpack.decode(await reader.readexactly(size), type=Said)
    except asyncio.IncompleteReadError as cut:
        raise WorkerEnded("it was killed or crashed") from cut
