"""Setting one key leaves every other character of the file alone."""

import pytest
import yaml

from reveried.config.editing import with_value
from reveried.errors import ConfigInvalid

COMMENTED = """\
# my settings

recall:
  limit: 7      # enough for me
embedding:      # the small one
  # model: an older idea
  idle: 60.0
  model: 'old one'   # a good one

log: {level: debug}
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "embedding:\n  model: new\n"),
        ("log:\n  level: info\n", "log:\n  level: info\n\nembedding:\n  model: new\n"),
        ("embedding:\n", "embedding:\n  model: new\n"),
        ("embedding:\n    idle: 5.0\n", "embedding:\n    model: new\n    idle: 5.0\n"),
        ("embedding:\n  model:\n", "embedding:\n  model: new\n"),
        ("embedding:\n  model: a#b c\nlog: {}\n", "embedding:\n  model: new\nlog: {}\n"),
        ('embedding:\n  model: "with # inside"  # why\n', "embedding:\n  model: new  # why\n"),
        ("other:\n  model: stays\n", "other:\n  model: stays\n\nembedding:\n  model: new\n"),
        (COMMENTED, COMMENTED.replace("'old one'", "new")),
    ],
)
def test_one_key_is_set_and_the_rest_stays(before: str, after: str) -> None:
    assert with_value(before, "embedding", "model", "new") == after
    assert yaml.safe_load(after)["embedding"]["model"] == "new"


def test_a_section_on_one_line_is_left_to_its_owner() -> None:
    with pytest.raises(ConfigInvalid, match="line 2: the section embedding is written on one line") as refused:
        with_value("# mine\nembedding: {runtime: none}\n", "embedding", "model", "new")
    assert "model: new" in str(refused.value.hint)
