"""More requests to learn from over several databases, three to six calls long. Each is said in six ways."""

from verigym.environments.workplace.scene import Tell

STORIES: dict[str, list[Tell]] = {}
