class Stock:
    """Things with a count and the day (a number) on which they go off."""

    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    def count(self, thing):
        return sum(row[1] for row in self.rows if row[0] == thing)

    def take(self, thing, count):
        """Takes from what goes off first. Returns how many could be taken."""
        taken = 0
        for row in sorted(self.rows, key=lambda row: row[2]):
            if row[0] == thing:
                now = min(row[1], count - taken)
                row[1] -= now
                taken += now
        self.rows = [row for row in self.rows if row[1] > 0]
        return taken
