"""Settings of all tests: no deadline for a property's single example, because a busy machine is no failure."""

from hypothesis import settings

settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
