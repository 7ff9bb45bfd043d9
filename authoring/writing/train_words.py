"""Weekdays and first names that several training briefs share."""

DAYS = ["Monday", "Tuesday", "Thursday", "Friday"]
NAMES = ["Mara", "Jonas", "Petra", "Silvan"]
