"""Property tests judge results, not time: a busy machine must not fail them."""

from hypothesis import settings

settings.register_profile("unit", deadline=None)
settings.load_profile("unit")
