import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.corpora import clean_sentences, rows, secret_text
from reveried.domain.understanding.secret_rules import EVERY_RULE, Rule
from reveried.domain.understanding.secrets import credential_in, redact, redact_json

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=300)
# Pieces that rules are made of, so that random texts come close to secrets.
PIECES = st.sampled_from(
    ["AK" "IA", "A1B2C3D4E5F6G7H8", "gh" "p_", "x" * 36, "password=", "token: ", " ", "\n", "://u:", "pw@",
     "[redacted:", "]", "4111 1111 ", "1111 1111", "eyJ", ".", "abc123def456", "-----BEGIN ", "PRIVATE KEY-----", "'",
     "sk-", "=", "is "]
)  # fmt: skip


@pytest.mark.parametrize("split", ["dev", "test"])
def test_nearly_every_secret_is_caught(split: str) -> None:
    missed = []
    for row in rows("secrets", split):
        text, secret = secret_text(row)
        redaction = redact(text)
        if secret in redaction.text or row["rule"] not in redaction.found:
            missed.append((row["rule"], redaction.found, text[:60]))
    assert len(missed) <= 0.02 * len(rows("secrets", split)), missed


def test_every_rule_has_an_example() -> None:
    assert {rule.name for rule in EVERY_RULE} == {row["rule"] for row in rows("secrets")}
    assert len(rows("secrets")) >= 100


def test_the_words_around_a_secret_stay() -> None:
    key = "AKIA" + "ABCDEFGH12345678"
    redaction = redact(f"Use {key} for the bucket, password=hunter2 for the site.")
    assert redaction.text == "Use [redacted:aws-key] for the bucket, password=[redacted:assignment] for the site."
    assert redaction.found == ("aws-key", "assignment")


def test_clean_sentences_are_left_alone() -> None:
    sentences = clean_sentences()
    touched = [(text, redact(text).found) for text in sentences if redact(text).found]
    assert len(set(sentences)) == 2_000
    assert len(touched) <= 2, touched


def test_the_labelled_notes_are_left_alone() -> None:
    assert [row["text"] for row in rows("notes") if redact(row["text"]).found] == []


@pytest.mark.parametrize(
    "text",
    [
        "the password is stored in the vault",
        "token budget: 2000",
        "password: required",
        "password=os.environ['DB']",
        "the password is sha256-hashed",
        "password: ${DB_PASSWORD}",
        "token = get_token(2)",
        "self.password = source.master_user_password",
        "Basic understanding of Kubernetes",
        "card 4111 1111 1111 1112",
        "card 0000 0000 0000 0000",
        "account DE00 3704 0044 0532 0130 00",
        "account DE89 3704 0044 0532",  # cut off
        "git@github.com:team/repo.git",
        "the header is -----BEGIN PRIVATE KEY----- in such files",
    ],
)
def test_prose_about_secrets_is_no_secret(text: str) -> None:
    assert redact(text).text == text


def test_secrets_inside_json_are_found_by_value_and_by_name() -> None:
    found: list[str] = []
    value = {"db_password": "bluewhale", "note": ["password=hunter2", 3, None], "password": "", "tokens": "512"}
    assert redact_json(value, found) == {
        "db_password": "[redacted:assignment]",
        "note": ["password=[redacted:assignment]", 3, None],
        "password": "",
        "tokens": "512",
    }
    assert found == ["assignment", "assignment"]


@given(st.one_of(ANY_TEXT, st.lists(PIECES, max_size=12).map("".join)))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redact(text)
    assert redact(once.text).text == once.text


def _seconds(work: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(2):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


MEGABYTE = 1 << 20
SEEDS = (
    "a", "0", "4", "1 ", "A", "AA00", "aA0_-", "=", "-", "eyJ", "eyJa.", "://", "://a:", "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----a", "password", "password=", "token: ", "bearer ", "basic ", "sk-", "--token ", "key ",
    "authorization: ", "MTAaaaaaaaaaaaaaaaaaaaaa.", "4111-", "\n", "[redacted:",
)  # fmt: skip


def _grows_linearly(rule: Rule, seed: str, size: int) -> bool:
    """Eight times the text may take thirty times as long at most; a quadratic rule would take sixty-four times."""

    def work(length: int) -> float:
        text = (seed * (length // len(seed) + 1))[:length]
        return _seconds(lambda: [rule.secret_length(match) for match in rule.pattern.finditer(text)])

    return work(size) <= 30 * max(work(size // 8), 0.0005)


@pytest.mark.parametrize("rule", EVERY_RULE, ids=lambda rule: rule.name)
def test_every_rule_reads_a_hostile_megabyte_in_linear_time(rule: Rule) -> None:
    assert [seed for seed in ("a", "0", *filter(None, rule.hints)) if not _grows_linearly(rule, seed, MEGABYTE)] == []


@pytest.mark.parametrize("rule", EVERY_RULE, ids=lambda rule: rule.name)
def test_no_rule_stumbles_over_the_beginnings_of_another(rule: Rule) -> None:
    assert [seed for seed in SEEDS if not _grows_linearly(rule, seed, MEGABYTE // 32)] == []


@pytest.mark.parametrize("seed", SEEDS)
def test_a_hostile_megabyte_is_read_in_linear_time(seed: str) -> None:
    def work(size: int) -> float:
        return _seconds(lambda: redact((seed * (size // len(seed) + 1))[:size]))

    assert work(MEGABYTE) <= 30 * max(work(MEGABYTE // 8), 0.002)


@pytest.mark.parametrize(
    "name",
    [
        "default",
        "user:ada",
        "project/secret-santa",
        "6fa459ea-ee8a-3ca4-894e-db77e160355e",
        "9b74c9897bac770ffc029102a200c5de9b74c9897bac770ffc029102a200c5de",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "thread_abc123XYZ-deadbeef",
        "session-0f1e2d3c4b5a6978",
    ],
)
def test_what_programs_make_up_for_a_name_is_no_credential(name: str) -> None:
    assert credential_in(name) is None


@pytest.mark.parametrize("name", ["ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "password=" + "Tr0ub4dor&3xkcd"])
def test_a_credential_for_a_name_is_told_by_its_rule(name: str) -> None:
    assert credential_in(name) == redact(name).found[0]
