"""The labelled texts, and the generators of texts that must be left alone."""

import json
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def rows(name: str, split: str | None = None) -> list[dict[str, Any]]:
    lines = (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    every = [json.loads(line) for line in lines]
    return [row for row in every if split is None or row["split"] == split]


def secret_text(row: dict[str, Any]) -> tuple[str, str]:
    """The sentence and the secret in it. They are stored in parts so that no scanner of code takes them for real."""
    secret = "".join(row["secret"])
    return f"{row['before']}{secret}{row['after']}", secret


def _spread(combinations: Iterable[tuple[str, ...]], count: int) -> list[tuple[str, ...]]:
    """`count` of the combinations, evenly from all of them."""
    every = list(combinations)
    return [every[index * len(every) // count] for index in range(count)]


def clean_sentences(count: int = 2_000) -> list[str]:
    """Prose, code and identifiers of every shape that a careless rule takes for a secret."""
    subjects = (
        "The password", "Her token", "An access key", "The secret", "Commit 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432",
        "Request 123e4567-e89b-12d3-a456-426614174000", "The API key", "max_tokens=2048", "Order 4012345678901",
        "The task-based scheduler", "risk-assessment-2024-final.pdf", "Node sk-learn-pipeline-runner", "The basic plan",
        "The bearer of the certificate", "password = os.environ['DB_PASSWORD']", "The digest sha256:0a1b2c3d4e5f",
        "token: str | None", "Primary key user_id", "Ticket 2024-0601-7781", "The session at 1718000000000",
    )  # fmt: skip
    verbs = (
        "is stored in the vault", "was rotated on 2024-05-02", "expires after 3600 seconds", "is sha256-hashed",
        "is described at https://docs.example.org:8443/keys@v2", "costs 1,250.00 euros", "is required: see section 4.2",
        "has a budget: 2000", "belongs to build 20240607.3", "is base64-encoded", "came by mail from ana@example.org",
        "is kept by Ana, phone +43 555 0142",
    )  # fmt: skip
    ends = (
        "and nobody reads it.", "in version 2.10.4.", "(key: value pairs only).", "by 4111 users of 5500.",
        "as `get_token()` shows.", "with password: required.", "for IBAN checks too.", "at 10.0.0.12:5432.",
        "so rank 4 of 16 wins.", "under /srv/data/2024/06.", "using argon2 and a salt.", "next to the SKU 884-1120-33.",
        "with token = <your-token>.", "if secret: ${APP_SECRET} is set.", "while {'tokens': 512} holds.",
        "— the key is to keep calm.",
    )  # fmt: skip
    return [" ".join(parts) for parts in _spread(product(subjects, verbs, ends), count)]


def normal_imperatives() -> list[str]:
    """Five hundred ordinary orders, of the kind notes are full of."""
    written = [row["text"] for row in rows("imperatives")]
    orders = (
        "Always check", "Never change", "Ignore", "Do not touch", "Remember to update", "Forget about", "Follow",
        "Review", "Send Ana", "Override", "Print", "Show the team", "Stop using", "Do not mention",
        "Tell support about",
    )  # fmt: skip
    things = (
        "the release notes", "the failing job", "the build rules", "the old instructions for the printer",
        "the deployment guide", "the retry policy of the client", "the prompt of the shell", "the system logs",
        "the default settings", "the user manual", "the new directory layout", "the role of the gateway",
    )  # fmt: skip
    ends = ("before the demo.", "until Friday.", "in the staging cluster.", "when the tests pass.")
    generated = _spread(product(orders, things, ends), 500 - len(written))
    return written + [" ".join(parts) for parts in generated]
