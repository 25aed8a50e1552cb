"""What runs a model. Imported in the worker process alone: each of them brings a heavy library."""

from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reveried.embed.manifest import check_files
from reveried.embed.resolve import HASHING, Model

Floats = NDArray[np.float32]
Runtime = Callable[[Sequence[str]], Floats]


def load(model: Model) -> Runtime:
    """A function from texts to vectors of length 1. A model whose files are not the right ones is refused."""
    check_files(model.manifest, Path(model.directory))
    return RUNTIMES[model.runtime](model)


def _onnx(model: Model) -> Runtime:
    import onnxruntime
    from tokenizers import Tokenizer

    directory = Path(model.directory)
    tokenizer = Tokenizer.from_file(str(directory / "tokenizer.json"))
    tokenizer.enable_truncation(model.manifest.max_tokens)
    tokenizer.enable_padding()
    options = onnxruntime.SessionOptions()
    # An arena keeps the largest batch ever seen; spinning threads would take the cores from the daemon.
    options.enable_cpu_mem_arena = False
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = onnxruntime.InferenceSession(
        str(directory / "onnx" / "model.onnx"), options, providers=["CPUExecutionProvider"]
    )
    names = {given.name for given in session.get_inputs()}

    def embed(texts: Sequence[str]) -> Floats:
        encoded = tokenizer.encode_batch(list(texts))
        mask = np.array([one.attention_mask for one in encoded], np.int64)
        given: dict[str, Any] = {"input_ids": np.array([one.ids for one in encoded], np.int64), "attention_mask": mask}
        if "token_type_ids" in names:
            given["token_type_ids"] = np.zeros_like(mask)
        return _pooled(session.run(None, given)[0], mask, model.manifest.pooling)

    return embed


def _pooled(hidden: Floats, mask: NDArray[np.int64], pooling: str) -> Floats:
    """One vector for each text: that of its first token, or the mean over all of them."""
    if pooling == "cls":
        return _unit(hidden[:, 0])
    share = mask[..., None].astype(np.float32)
    return _unit((hidden * share).sum(axis=1) / share.sum(axis=1))


def _sentence_transformers(model: Model) -> Runtime:
    from sentence_transformers import SentenceTransformer

    loaded = SentenceTransformer(model.directory, local_files_only=True)
    loaded.max_seq_length = model.manifest.max_tokens
    return lambda texts: _unit(np.asarray(loaded.encode(list(texts), show_progress_bar=False), np.float32))


def _hashing(model: Model) -> Runtime:
    """Words thrown into buckets: knows nothing of meaning, needs nothing, and is for tests alone."""

    def embed(texts: Sequence[str]) -> Floats:
        vectors = np.zeros((len(texts), HASHING.manifest.dimension), np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                number = int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")
                vectors[row, number % vectors.shape[1]] += 1.0 if number >> 63 else -1.0
        return _unit(vectors)

    return embed


def _cross_encoder(model: Model) -> Runtime:
    """How well each text answers the first one, between 0 and 1; a row of one number for each."""
    from sentence_transformers import CrossEncoder
    from torch.nn import Sigmoid

    loaded = CrossEncoder(model.directory, local_files_only=True, max_length=model.manifest.max_tokens)

    def score(texts: Sequence[str]) -> Floats:
        pairs = [(texts[0], text) for text in texts[1:]]
        found = loaded.predict(pairs, batch_size=8, show_progress_bar=False, activation_fn=Sigmoid())
        return np.asarray(found, np.float32).reshape(len(pairs), -1)[:, :1]

    return score


def _unit(vectors: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)


RUNTIMES: dict[str, Callable[[Model], Runtime]] = {
    "onnx": _onnx,
    "sentence-transformers": _sentence_transformers,
    "cross-encoder": _cross_encoder,
    "hashing": _hashing,
}
