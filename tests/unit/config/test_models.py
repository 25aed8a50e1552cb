"""`reverie model`: the program that lists, chooses and fetches models; the hub is the only thing stood in for."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest

from reveried.config.models import lines_for, on_this_machine, write
from reveried.embed.caches import model_cache
from reveried.embed.errors import ModelRefused, PullFailed
from reveried.embed.manifest import MINILM, NAME, Manifest, check_files, manifest_of
from reveried.embed.policy import EmbeddingPolicy
from reveried.embed.pulling import pull
from reveried.embed.resolve import Model, carried_models, resolve
from reveried.errors import ConfigInvalid

AUTO = EmbeddingPolicy()


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("REVERIE_CONFIG", str(tmp_path / "config.yaml"))
    for variable in ("HF_HOME", "HF_HUB_CACHE"):
        monkeypatch.delenv(variable, raising=False)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub that has one model: a small directory of the right shape."""

    def download(name: str, *, local_dir: Path, allow_patterns: list[str]) -> None:
        (Path(local_dir) / ".cache" / "huggingface").mkdir(parents=True)
        (Path(local_dir) / "onnx").mkdir()
        (Path(local_dir) / "onnx" / "model.onnx").write_bytes(b"weights")
        (Path(local_dir) / "tokenizer.json").write_text("{}")
        (Path(local_dir) / "config.json").write_text('{"hidden_size": 8, "vocab_size": 250000}')
        if name.endswith("broken"):
            raise ConnectionResetError("the line went dead")

    class Api:
        def model_info(self, name: str) -> Any:
            return type("Info", (), {"card_data": {"license": "mit"}})

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    monkeypatch.setattr(huggingface_hub, "HfApi", Api)


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "reverie.cli", "model", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_installed_model_is_listed_as_the_chosen_one() -> None:
    (listed,) = on_this_machine(AUTO)
    assert (listed.id, listed.dimension, listed.scripts, listed.licence) == (MINILM.id, 384, "latin", "Apache-2.0")
    assert (listed.chosen, listed.runtime, listed.problem) == (True, "onnx", "")
    assert [model.chosen for model in on_this_machine(EmbeddingPolicy(runtime="none"))] == [False]


def test_what_cannot_be_used_is_listed_with_the_reason() -> None:
    (model_cache() / "some--model").mkdir(parents=True)
    listed = {model.name: model for model in on_this_machine(AUTO)}
    assert "holds no model" in listed["some/model"].problem


def test_a_pulled_model_has_its_hashes_and_can_be_used(hub: None) -> None:
    place, manifest = pull("some/model")
    assert manifest == manifest_of(place)
    assert manifest.files.keys() == {"onnx/model.onnx", "tokenizer.json", "config.json"}
    assert (manifest.licence, manifest.scripts, manifest.dimension) == ("mit", "all", 8)
    check_files(manifest, place)
    found = resolve(EmbeddingPolicy(model="some/model"))
    assert isinstance(found, Model)
    assert found.manifest == manifest
    (place / "tokenizer.json").write_text("{} ")
    with pytest.raises(ModelRefused, match=r"tokenizer\.json is not the file"):
        check_files(manifest, place)


def test_pulling_again_mends_what_was_damaged(hub: None) -> None:
    place, manifest = pull("some/model")
    (place / "tokenizer.json").unlink()
    pull("some/model")
    check_files(manifest, place)
    assert [path.name for path in model_cache().iterdir()] == ["some--model"]


def test_a_pull_that_breaks_off_leaves_nothing(hub: None) -> None:
    with pytest.raises(PullFailed, match="the line went dead"):
        pull("some/broken")
    assert list(model_cache().iterdir()) == []


def test_an_unreachable_hub_is_a_clear_error_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    told = run("pull", "some/model")
    assert told.returncode == 1
    assert "some/model was not fetched" in told.stderr
    assert "online" in told.stderr
    assert "Traceback" not in told.stderr
    assert list(model_cache().iterdir()) == []


def test_using_a_model_writes_the_file_and_keeps_its_comments(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("# mine\nembedding:\n  runtime: none  # for now\n")
    model = tmp_path / "model"
    shutil.copytree(carried_models()[0], model)
    shown = run("use", str(model))
    assert "runtime: auto" in shown.stdout
    assert config.read_text() == "# mine\nembedding:\n  runtime: none  # for now\n", "showing changes nothing"
    assert run("use", str(model), "--write").returncode == 0
    expected = f'# mine\nembedding:\n  model: "{model}"\n  runtime: auto  # for now\n'
    assert config.read_text() == expected
    (chosen,) = [json.loads(line) for line in run("list", "--json").stdout.splitlines() if '"chosen":true' in line]
    assert chosen["path"] == str(model)


def test_a_model_that_is_not_there_is_not_written(tmp_path: Path) -> None:
    told = run("use", "some/model", "--write")
    assert told.returncode == 1
    assert "reverie model pull some/model" in told.stderr
    assert not (tmp_path / "config.yaml").exists()


def test_a_runtime_that_cannot_run_the_model_is_changed_with_it() -> None:
    policy = EmbeddingPolicy(runtime="sentence-transformers")
    assert lines_for(MINILM.name, policy) == {"model": f'"{MINILM.name}"', "runtime": "auto"}


def test_a_file_that_would_not_be_accepted_stays_as_it_is(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("embedding:\n  unknown: 1\n")
    with pytest.raises(ConfigInvalid):
        write(config, {"model": '"x"'})
    assert config.read_text() == "embedding:\n  unknown: 1\n"
    assert [path.name for path in tmp_path.iterdir()] == ["config.yaml"]


@pytest.mark.parametrize("arguments", [("use",), ("pull",), ("list", "name"), ("fly",)])
def test_a_wrong_command_line_is_told_apart(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).returncode == 2


def test_the_program_that_lists_loads_nothing_heavy() -> None:
    code = "import sys, reveried.config.models, reverie.cli.models; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert {"numpy", "onnxruntime", "torch", "huggingface_hub", "tokenizers"}.isdisjoint(loaded)


def test_the_manifest_is_written_where_people_can_read_it(hub: None) -> None:
    place, manifest = pull("some/model")
    assert Manifest(**json.loads((place / NAME).read_text())) == manifest
