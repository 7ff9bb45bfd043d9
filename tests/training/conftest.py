"""Tests of training run tiny models, on one thread."""

from tests.one_thread import one_thread as one_thread
