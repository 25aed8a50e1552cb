from pathlib import Path

import msgspec
import pytest

from reveried.domain.understanding.phrases import PHRASES
from reveried.domain.understanding.salience import SalienceWeights
from reveried.domain.understanding.secret_rules import EVERY_RULE
from reveried.domain.understanding.trust_signs import MARK_SIGNS, OTHER_SCRIPTS, WORD_SIGNS

PAGE = (Path(__file__).parents[4] / "docs" / "understanding.md").read_text(encoding="utf-8")
NAMES = {
    *(rule.name for rule in EVERY_RULE),
    *(sign.name for sign in (*WORD_SIGNS, *MARK_SIGNS, OTHER_SCRIPTS)),
    *(kind for kind in PHRASES if kind != "past"),
    *msgspec.structs.asdict(SalienceWeights()),
}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_rule_is_on_the_page(name: str) -> None:
    assert f"`{name}`" in PAGE


def test_the_page_states_the_weights_in_force() -> None:
    for name, weight in msgspec.structs.asdict(SalienceWeights()).items():
        assert f"| `{name}` | {weight} |" in PAGE
