"""More requests to learn from about mail, and about mail with the directory or customers. Each is said in six ways."""

from verigym.environments.workplace.scene import Tell

STORIES: dict[str, list[Tell]] = {}
