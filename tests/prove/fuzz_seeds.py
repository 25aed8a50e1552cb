"""What fuzzing begins with: the pieces that the readers look for, and one honest example for each way in."""

import json

import msgspec

PIECES = (
    "a", " ", "\n", "\t", "# ", "#", "- ", "* ", "1. ", "**", "**a** ", "_", "`", "```\n", "~~~\n", "---\n", "--- \n",
    "===\n", "<!--", "-->", "<!-- a: b -->", "|", "[", "]", "[[", "]]", "[[a]]", "[a] ", "(", ")", "((", "{", "}",
    '{"a":', '"', "'", "\\", "\\u0041", "“", "<", ">", "<memory>", "</memory>", "&", "@", "@a", "#a ", "#L1",
    "Source: ",
    "Source:\n", "keywords:", "keywords: a\n", "permalink: a\n", "id: a\n", "a: b\n", ": ", "&a ", "*a ", "- - ", "? ",
    "!!str ", "%", ".", "..", "...", "a.", "A.", "e.g. ", "A", "Aa ", "A a", "aA", "A&", "A'", "A-", "Ada ",
    "Ada Lovelace ", "Dr. ", "of ", " of A", "de la ", "works at ", "I ", "is the ", "1", "1 ", "1-", "0000 ",
    "2026-11-18 ", "password ", "password=", "password: ", "secret", "token=", "--token ", "bearer ", "basic ",
    "authorization: basic ", "eyJa.", "eyJ", "sk-", "AKIA", "ghp_", "xoxb-", "-----BEGIN ", "PRIVATE KEY-----\n",
    "://a:", "https://", "www.", "a@b.c ", "DE00", "é", "e\u0301", "漢", "の", "ก", "한", "😀", "\u200b", "\u202e",
    "\ufeff",
    "\u2028", "\x0b", "\x00", "ignore ", "previous ", "instructions ", "always ", "i like ", "favourite a ", "not ",
    "OR ", "NEAR(", "content:", "//", "/*", "*/", "/* */", ",", ",,", "true", "null", "1e9", "-", "_a", "a_", "a(",
)  # fmt: skip

LINES = (b"", b"{}", b"[]", b"a b c", b"Ada Lovelace works at Acme. She prefers tea.")

_MESSAGE = {
    "id": "m", "author": {"role": "user"}, "create_time": 1.5, "metadata": {},
    "content": {"content_type": "text", "parts": ["a tea"]},
}  # fmt: skip
SEEDS: dict[str, tuple[bytes, ...]] = {
    "frames": (b"\x00\x00\x00\x01a", b"\x00\x00\x00\x02ab\x00\x00\x00\x01c"),
    "requests": tuple(
        msgspec.msgpack.encode(message)
        for message in (
            {"op": "hello", "id": 1, "protocol": 1, "client": "a", "namespace": "b"},
            {"op": "store", "id": 1, "key": "k", "memory": {"content": "a", "tags": ["b"], "metadata": {"c": [1]}}},
            {"op": "recall", "id": 1, "query": "a", "kinds": ["fact"], "namespaces": ["b"]},
        )
    ),
    "replies": (msgspec.msgpack.encode({"id": 1, "ok": True, "result": {"head": 1}}),),
    "config": (b"recall:\n  limit: 5\njobs: {decay: never}\n", b"storage:\n  min_free: 64MB\n"),
    "mcp_line": (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_get"}}',),
    "exported_events": (
        b'{"format":"reverie.events","version":1,"events":1,"chain":"00"}\n{"seq":1,"at":1,"type":"memory.stored",'
        b'"namespace":"a","subject":1,"actor":"b","key":null,"payload":"{}","digest":"00","chain":"00"}\n',
    ),
    "payloads": (b'{"salt":"00","content":"a"}', b'{"salt":"0","query":{"salt":"1","text":"a"},"ids":[1]}'),
    "hooks": (b'{"type":"user","message":{"role":"user","content":[{"type":"text","text":"a"}]}}\n',),
    "settings_json": (b'{"mcpServers": {"a": {"command": "b"}}, // c\n}', b'{"a": [1, 2,]}'),
    "settings_toml": (b'[mcp_servers.reverie]\ncommand = "a"\n', b"mcp_servers = 1\n[[a]]\nb = 1", b"mcp_servers = {}"),
    "settings_yaml": (b"extensions:\n  reverie:\n    cmd: a\n# b\n", b"extensions: [a]\n", b"extensions: {}\na: &b c"),
    "import jsonl": (b'{"content":"a","content_hash":"b","state":"active","id":1,"created_at":1,"tags":["c"]}\n',),
    "import mcp": (b'{"type":"entity","name":"a","entityType":"b","observations":["c"]}\n',),
    "import chatgpt": (
        json.dumps([{"title": "t", "mapping": {"a": {"message": _MESSAGE}}, "current_node": "a"}]).encode(),
    ),
    "import claude": (
        b'[{"uuid":"u","name":"n","chat_messages":[{"uuid":"v","sender":"human","text":"a","content":[{"text":"b"}]}]}]',
        b'[{"conversations_memory":"- a"},{"prompt_template":"p","docs":[{"filename":"f","content":"c"}]}]',
    ),
    "import kore": (b'{"memories":[{"id":1,"content":"a","category":"b","importance":3,"facts_json":"[1]"}]}',),
    "import mem0": (b'{"results":[{"id":1,"memory":"a","hash":"h","categories":["b"]}]}', b"---\nid: a\n---\nb\n"),
    "import goose": (b"# a b\nc d\n\ne\n",),
    "import codex": (b"---\nkeywords: a, b\n---\n- c\n",),
    "import basic-memory": (b"---\npermalink: a\ntitle: b\n---\n- [fact] c #d (e)\n- likes [[f]] (g)\n",),
    "import markdown": (b"# a\n- b <!-- observed: 2026-01-01 -->\n\nc\nSource: d#L1\n",),
}  # fmt: skip
