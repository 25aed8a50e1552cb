"""Whatever an endpoint does, there is a summary: the model's, or first sentences and the reason why."""

import json
from pathlib import Path

import pytest

from reveried.app.summaries import Summaries
from reveried.config.schema import Config
from reveried.domain.consolidating.accounts import Session, Written
from reveried.summarising.chat import Chat
from reveried.summarising.policy import SummariserPolicy
from unit.domain.records import after
from unit.summarising.endpoint import endpoint

KEY = "sesame-open-7"
MOST = 2_000
SESSION = Session("default", "s", (after(content="We sailed to the lighthouse."),))
EXTRACT = Written("We sailed to the lighthouse.", "extractive")
TEXT = "They sailed."
COMPLETION = json.dumps({"choices": [{"message": {"role": "assistant", "content": TEXT}}]}).encode()


def http(status: str, body: bytes = b"", *fields: str) -> bytes:
    head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *fields, "", ""])
    return head.encode() + body


def raw(body: bytes, *fields: str) -> bytes:
    return "\r\n".join(["HTTP/1.1 200 OK", *fields, "", ""]).encode() + body


def chunked(*chunks: bytes) -> bytes:
    sized = b"".join(b"%x;note=1\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    return raw(sized + b"0\r\n\r\n", "Transfer-Encoding: chunked")


def summaries(url: str, **settings: object) -> Summaries:
    plain = {"model": "sailor", "api_key_env": "SOME_KEY", "timeout": 5.0, "max_answer": MOST, "pause": 0.0}
    policy = SummariserPolicy(url=url, **(plain | settings))  # type: ignore[arg-type]
    return Summaries(Chat(lambda: policy, {"SOME_KEY": KEY}), Config)


@pytest.mark.parametrize(
    "answer",
    [
        http("200 OK", COMPLETION),
        raw(COMPLETION),
        chunked(COMPLETION[:7], COMPLETION[7:]),
        chunked(*(bytes((byte,)) for byte in COMPLETION)),
    ],
    ids=["counted", "until-the-end", "chunked", "byte-by-byte"],
)
async def test_an_answer_is_read_however_it_is_sent(answer: bytes) -> None:
    async with endpoint(answer) as serving:
        written = summaries(serving.url)
        assert await written.of_session(SESSION) == Written(TEXT, "sailor")
        assert written.warnings() == []
        assert f"Authorization: Bearer {KEY}".encode() in serving.asked[0]


TOO_LARGE = f"larger than {MOST} bytes"
NO_COMPLETION = "is no chat completion"
ECHO = f"who is {KEY}? You asked about the lighthouse".encode()


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (http("401 Unauthorized", ECHO), "answered 401"),
        (http(f"500 {ECHO.decode()}", ECHO), "answered 500"),
        (http("302 Found", b"", "Location: http://127.0.0.1:1/"), "answered 302"),
        (http("307 Temporary Redirect", COMPLETION, "Location: /v2"), "answered 307"),
        (http("200 OK", COMPLETION[:-9]), NO_COMPLETION),
        (http("200 OK", ECHO), NO_COMPLETION),
        (http("200 OK", b'{"choices": [{"message": {"content": null}}]}'), NO_COMPLETION),
        (http("200 OK", b'{"choices": []}'), "answered with nothing"),
        (http("200 OK", b'{"choices": [{"message": {"content": "\\u0007\\u200b\\u0000"}}]}'), "answered with nothing"),
        (http("200 OK", b'{"choices": [{"message": {"content": "\\ud800"}}]}'), NO_COMPLETION),
        (http("200 OK", b"\xff\xfe"), NO_COMPLETION),
        (http("200 OK", b'{"deep": ' + b"[" * (MOST - 9)), NO_COMPLETION),
        (http("200 OK", b"x" * (MOST + 1)), TOO_LARGE),
        (raw(b"", "Content-Length: 99999999999999999999"), TOO_LARGE),
        (raw(b"", "Content-Length: -1"), TOO_LARGE),
        (raw(b"", "Content-Length: many"), "ValueError"),
        (raw(b"x" * 500_000), TOO_LARGE),
        (chunked(*[b"x" * 100] * 21), TOO_LARGE),
        (raw(b"ffffffffffff\r\nx", "Transfer-Encoding: chunked"), TOO_LARGE),
        (raw(b"no number\r\nx", "Transfer-Encoding: chunked"), "ValueError"),
        (raw(b"5\r\nabcde\r\n-3\r\n", "Transfer-Encoding: chunked"), "cannot be reached"),
        (raw(b"1" * 100_000, "Transfer-Encoding: chunked"), "cannot be reached"),
        (raw(b"", f"X-Filler: {'x' * 100_000}"), "cannot be reached"),
        (raw(b"", *(f"X-{number}: x" for number in range(200))), "cannot be reached"),
        (raw(b"{}", "Content-Length: 50"), "cannot be reached"),
        (b"HTTP/1.1 200 OK\r\n", "cannot be reached"),
        (b"", "cannot be reached"),
        (b"SSH-2.0-OpenSSH_9\r\n\r\n", "does not speak HTTP"),
    ],
)  # fmt: skip
async def test_whatever_is_wrong_with_an_answer_first_sentences_stand_in_and_the_reason_is_told(
    answer: bytes, reason: str
) -> None:
    async with endpoint(answer) as serving:
        written = summaries(serving.url)
        assert await written.of_session(SESSION) == EXTRACT
        (warning,) = written.warnings()
        assert reason in warning
        assert KEY not in warning
        assert "lighthouse" not in warning
        assert len(serving.asked) == 1, "no redirection is followed"


@pytest.mark.parametrize(
    "begun", [b"", raw(b"{", "Content-Length: 50"), b"HTTP/1.1 200"], ids=["silent", "body", "head"]
)
async def test_an_endpoint_that_hangs_is_waited_for_no_longer_than_was_set(begun: bytes) -> None:
    async with endpoint(begun, hangs=True) as serving:
        written = summaries(serving.url, timeout=0.1)
        assert await written.of_session(SESSION) == EXTRACT
        assert "did not answer within 0.1 s" in written.warnings()[0]


async def test_where_nobody_listens_first_sentences_do() -> None:
    written = summaries("http://127.0.0.1:1/v1")
    assert await written.of_session(SESSION) == EXTRACT
    assert "ConnectionRefusedError" in written.warnings()[0]


async def test_after_a_failure_it_is_left_alone_for_a_while() -> None:
    async with endpoint(http("503 Busy")) as serving:
        written = summaries(serving.url, pause=3600.0)
        assert [await written.of_session(SESSION) for _ in range(3)] == [EXTRACT] * 3
        assert len(serving.asked) == 1
        assert "503" in written.warnings()[0]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"api_key_env": "NOT_SET"}, "NOT_SET holds no key"),
        ({"api_key_file": "/nowhere/key"}, "cannot be read: FileNotFoundError"),
    ],
)
async def test_without_its_key_nothing_is_sent(settings: dict[str, object], reason: str) -> None:
    async with endpoint(http("200 OK", COMPLETION)) as serving:
        written = summaries(serving.url, **settings)
        assert await written.of_session(SESSION) == EXTRACT
        assert reason in written.warnings()[0]
        assert serving.asked == []


async def test_a_key_that_would_forge_a_header_is_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{KEY}\r\nX-Forged: 1\n")
    async with endpoint(http("200 OK", COMPLETION)) as serving:
        written = summaries(serving.url, api_key_file=str(tmp_path / "key"))
        assert await written.of_session(SESSION) == EXTRACT
        assert serving.asked == []
        assert KEY not in written.warnings()[0]
