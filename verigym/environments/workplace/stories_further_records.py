"""More requests to learn from about project tasks and customers. Each is said in six ways."""

from verigym.environments.workplace.scene import Tell

STORIES: dict[str, list[Tell]] = {}
