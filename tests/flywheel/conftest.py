"""The fixtures of `tests/workspace`, for the loop and the quickstart."""

from tests.workspace.conftest import bench as bench
from tests.workspace.conftest import fresh as fresh
from tests.workspace.conftest import one_thread as one_thread
from tests.workspace.conftest import tiny_folder as tiny_folder
