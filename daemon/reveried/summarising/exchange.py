"""One HTTP exchange within a deadline: a request out, one answer in, no larger than told, no redirection followed."""

import asyncio
import http.client
import io
import ssl
from urllib.parse import SplitResult, urlsplit

from reveried.summarising.errors import SummariserUnavailable

MAX_HEAD = 65_536


async def posted(url: str, body: bytes, headers: dict[str, str], timeout: float, most: int) -> bytes:
    """The body of an answer 200; everything else is `SummariserUnavailable`."""
    try:
        async with asyncio.timeout(timeout):
            return await _exchanged(urlsplit(url), body, headers, most)
    except TimeoutError as error:
        raise SummariserUnavailable(f"the summariser did not answer within {timeout:g} s") from error
    except (OSError, ValueError, EOFError, asyncio.LimitOverrunError, http.client.HTTPException) as error:
        # Its own words could repeat what was sent; what kind of failure it is says enough.
        raise SummariserUnavailable(f"the summariser cannot be reached: {type(error).__name__}") from error


async def _exchanged(url: SplitResult, body: bytes, headers: dict[str, str], most: int) -> bytes:
    secure = ssl.create_default_context() if url.scheme == "https" else None
    port = url.port or (443 if secure else 80)
    reader, writer = await asyncio.open_connection(url.hostname, port, ssl=secure, limit=MAX_HEAD)
    try:
        writer.write(_head(url, len(body), headers) + body)
        await writer.drain()
        return await _answer(reader, most)
    finally:
        writer.close()


def _head(url: SplitResult, length: int, headers: dict[str, str]) -> bytes:
    fields = {"Host": url.netloc, "Content-Length": str(length), "Connection": "close", **headers}
    lines = [f"POST {url.path} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items()), "", ""]
    return "\r\n".join(lines).encode("latin-1")


async def _answer(reader: asyncio.StreamReader, most: int) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    line, _, rest = head.partition(b"\r\n")
    version, _, status = line.decode("latin-1").partition(" ")
    if not version.startswith("HTTP/1.") or not status[:3].isdecimal():
        raise SummariserUnavailable("the summariser does not speak HTTP")
    if status[:3] != "200":
        raise SummariserUnavailable(f"the summariser answered {status[:3]}")
    fields = http.client.parse_headers(io.BytesIO(rest))
    if fields.get("transfer-encoding", "").lower() == "chunked":
        return await _chunks(reader, most)
    length = fields.get("content-length")
    if length is None:
        return _small(await reader.read(most + 1) + await _rest(reader, most), most)
    return await reader.readexactly(_counted(int(length), most))


async def _rest(reader: asyncio.StreamReader, most: int) -> bytes:
    """What follows until the other side hangs up, as far as it matters."""
    found = b""
    while len(found) <= most and (more := await reader.read(most + 1)):
        found += more
    return found


async def _chunks(reader: asyncio.StreamReader, most: int) -> bytes:
    found = b""
    while size := int((await reader.readuntil(b"\r\n")).partition(b";")[0], 16):
        found += await reader.readexactly(_counted(len(found) + size, most) - len(found))
        await reader.readexactly(2)
    return found


def _small(body: bytes, most: int) -> bytes:
    _counted(len(body), most)
    return body


def _counted(length: int, most: int) -> int:
    if not 0 <= length <= most:
        raise SummariserUnavailable(f"the summariser's answer is larger than {most} bytes")
    return length
