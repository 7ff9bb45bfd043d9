"""The page table of the cache. A page has a fixed number of positions. Full pages are found again by their ids.

    system prompt          group's prompt      own
    [page 3] [page 7]  ->  [page 9]       ->  [page 12] [page 15]        one row
                           [page 9]       ->  [page 13] [page 16]        its sibling: the same pages, then its own

A page that no row holds keeps its content until it is needed for something else, least recently used first. Page 0 is never
assigned. The last prompt page of a row is never shared, so that no page is written while another row reads it.
"""

from collections import OrderedDict

import msgspec


class SequencePages(msgspec.Struct):
    """The pages of a row in order, and the number of its leading positions that were cached."""

    pages: list[int]
    cached: int


class Pages:
    def __init__(self, total: int, size: int) -> None:
        self.size = size
        self.total = 1
        """Number of pages, including page 0."""
        self._free: list[int] = []
        self._holders: list[int] = [0]
        self._serial: list[int] = [0]
        self._key: list[tuple[int, tuple[int, ...]] | None] = [None]
        self._found: dict[tuple[int, tuple[int, ...]], int] = {}
        self._unheld: OrderedDict[int, None] = OrderedDict()
        self._count = 0
        self.grow(total)

    def grow(self, total: int) -> None:
        more = total - self.total
        self._free += range(total - 1, self.total - 1, -1)
        self._holders += [0] * more
        self._serial += [0] * more
        self._key += [None] * more
        self.total = total

    @property
    def room(self) -> int:
        """Number of available pages."""
        return len(self._free) + len(self._unheld)

    def needed(self, positions: int) -> int:
        return -(-positions // self.size)

    def take(self, ids: list[int], positions: int, spare: int = 0) -> SequencePages | None:
        """Reserves pages for a row with this prompt and at most `positions` positions. None if fewer than `spare` pages would
        be left."""
        cached = self._cached(ids)
        needed = self.needed(positions)
        if needed - len(cached) + spare > self.room - sum(not self._holders[page] for page in cached):
            return None
        for page in cached:
            self._hold(page)
        pages = cached + [self._new() for _ in range(needed - len(cached))]
        self._register(pages, ids[: len(ids) - 1])
        return SequencePages(pages=pages, cached=len(cached) * self.size)

    def extend(self, held: SequencePages, positions: int) -> bool:
        """Adds pages until a row has room for so many positions. Returns whether there were enough."""
        more = self.needed(positions) - len(held.pages)
        if more > self.room:
            return False
        held.pages += [self._new() for _ in range(more)]
        return True

    def release(self, held: SequencePages, ids: list[int]) -> None:
        """Releases the pages of a row. `ids` are those whose keys and values were computed."""
        self._register(held.pages, ids)
        for page in reversed(held.pages):
            self._holders[page] -= 1
            if self._holders[page] == 0:
                if self._key[page] is None:
                    self._free.append(page)
                else:
                    self._unheld[page] = None

    def shrink(self) -> None:
        """Forgets all pages except page 0. No row may hold one."""
        self.forget()
        self.total = 1
        self._free, self._holders, self._serial, self._key = [], [0], [0], [None]

    def forget(self) -> None:
        """Drops all cached pages, because the weights changed."""
        self._found.clear()
        self._key = [None] * self.total
        self._free += self._unheld
        self._unheld.clear()

    def _cached(self, ids: list[int]) -> list[int]:
        pages: list[int] = []
        before = 0
        for end in range(self.size, len(ids), self.size):
            page = self._found.get((before, tuple(ids[end - self.size : end])))
            if page is None:
                break
            pages.append(page)
            before = self._serial[page]
        return pages

    def _register(self, pages: list[int], ids: list[int]) -> None:
        """Registers the full pages of these ids in the cache."""
        before = 0
        for place, page in enumerate(pages[: len(ids) // self.size]):
            if self._key[page] is None:
                key = (before, tuple(ids[place * self.size : (place + 1) * self.size]))
                if key in self._found:
                    return
                self._count += 1
                self._serial[page] = self._count
                self._key[page] = key
                self._found[key] = page
            before = self._serial[page]

    def _hold(self, page: int) -> None:
        self._holders[page] += 1
        self._unheld.pop(page, None)

    def _new(self) -> int:
        if self._free:
            page = self._free.pop()
        else:
            page, _ = self._unheld.popitem(last=False)
            key = self._key[page]
            if key is not None:
                del self._found[key]
            self._key[page] = None
        self._holders[page] = 1
        return page
