"""What the domain passes round are values: nobody can change one that another still holds."""

import importlib
import inspect
import pkgutil

import msgspec
import pytest

import reveried.domain
import reveried.log

# Made anew for every answer by the thousand, and held by nobody else: freezing them costs more than it keeps.
PASSING = {"recalling.budget.Candidate", "recalling.budget.Chosen", "recalling.relevance.Candidate"}
MODULES = [
    importlib.import_module(found.name)
    for package in (reveried.domain, reveried.log)
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
]
STRUCTS = [
    thing
    for module in MODULES
    for thing in vars(module).values()
    if isinstance(thing, type) and issubclass(thing, msgspec.Struct) and thing.__module__ == module.__name__
]
# What the configuration holds, which people write.
SETTINGS = [struct for struct in STRUCTS if struct.__name__.endswith(("Policy", "Limits", "Weights"))]


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: f"{struct.__module__}.{struct.__name__}")
def test_no_struct_can_be_changed(struct: type[msgspec.Struct]) -> None:
    name = f"{struct.__module__}.{struct.__name__}".removeprefix("reveried.domain.")
    assert struct.__struct_config__.frozen is (name not in PASSING)


@pytest.mark.parametrize("struct", SETTINGS, ids=lambda struct: f"{struct.__module__}.{struct.__name__}")
def test_settings_are_given_by_name_and_a_name_that_is_none_is_refused(struct: type[msgspec.Struct]) -> None:
    assert struct.__struct_config__.forbid_unknown_fields
    assert {one.kind for one in inspect.signature(struct).parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
