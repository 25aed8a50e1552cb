"""What the domain passes round are values: nobody can change one that another still holds."""

import importlib
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


@pytest.mark.parametrize("struct", STRUCTS, ids=lambda struct: f"{struct.__module__}.{struct.__name__}")
def test_no_struct_can_be_changed(struct: type[msgspec.Struct]) -> None:
    name = f"{struct.__module__}.{struct.__name__}".removeprefix("reveried.domain.")
    assert struct.__struct_config__.frozen is (name not in PASSING)
