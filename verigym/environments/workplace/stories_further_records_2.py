"""More requests to learn from about customers. Each is said in six ways."""

from verigym.environments.workplace.scene import Tell

STORIES: list[Tell] = []
