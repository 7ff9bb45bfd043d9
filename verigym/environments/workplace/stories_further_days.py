"""More requests to learn from about the calendar, days and times, and meetings that other databases decide. Each is said in six ways."""

from verigym.environments.workplace.scene import Tell

STORIES: dict[str, list[Tell]] = {}
