"""The memory of the paged cache: blocks of pages on the device, allocated as they are needed.

A block has the keys and values of a fixed number of pages in all layers (see `model/kernels.py`). Blocks come and go without
being copied: a row's table says where each of its pages is. Pages of a row that waits for room are kept in the host's memory.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from verigym.model import kernels
from verigym.model.devices import free_bytes
from verigym.model.llama_family import LlamaModel

BLOCK_BYTES = 1 << 27
"""About so many bytes are allocated at a time."""
SHARE = 0.85
"""Maximum share of the memory that is free when a block is added."""


class PagesOnHost:
    """Keys and values of some pages of a row, in the memory of the host."""

    def __init__(self, parts: list[tuple[list[int], Tensor]]) -> None:
        self.parts = parts
        """Which of the row's pages, by their number in it, and their content, (2 x layers, pages, K, PAGE, D)."""


class Blocks:
    def __init__(self, llama: LlamaModel, device: torch.device) -> None:
        self.device, self.dtype = device, llama.embedding.dtype
        self.layers, self.kv_heads, self.head_size = len(llama.layers), llama.kv_heads, llama.head_size
        self.numbers = self.kv_heads * kernels.PAGE * self.head_size
        """Numbers of the keys of a page in one layer."""
        size = llama.embedding.element_size()
        self.page_bytes = 2 * self.layers * self.numbers * size
        self.per = max(8, 1 << (BLOCK_BYTES // self.page_bytes).bit_length() >> 1)
        """Pages of a block."""
        self.base = torch.zeros(kernels.UNIT, dtype=self.dtype, device=device)
        self.unit = kernels.UNIT * size
        self.most: int | None = None
        """Maximum number of pages. None: as many as the memory holds."""
        self._blocks: list[Tensor] = []
        self.places = np.zeros(0, dtype=np.int64)
        """Where each page begins, as in the table."""

    @property
    def pages(self) -> int:
        return len(self.places)

    @property
    def bytes(self) -> int:
        return self.pages * self.page_bytes

    def cache(self, table: Tensor) -> kernels.Cache:
        return kernels.Cache(self.base, self.kv_heads, self.head_size, self.per * self.numbers, table)

    def grow(self, pages: int) -> bool:
        """Adds blocks for so many more pages. Returns whether there was memory for all of them."""
        wanted = -(-pages // self.per)
        for _ in range(wanted):
            if not self._has_memory():
                return False
            shape = (2 * self.layers, self.per, self.kv_heads, kernels.PAGE, self.head_size)
            try:
                block = torch.zeros(shape, dtype=self.dtype, device=self.device)
            except torch.OutOfMemoryError:  # free memory can be in pieces that are too small
                return False
            far, rest = divmod(block.data_ptr() - self.base.data_ptr(), self.unit)
            assert rest == 0, "blocks are aligned"
            one = self.numbers // kernels.UNIT
            self._blocks.append(block)
            self.places = np.concatenate([self.places, far + one * np.arange(self.per, dtype=np.int64)])
        return True

    def _has_memory(self) -> bool:
        return self.pages + self.per <= self.limit()

    def limit(self) -> int:
        """Number of pages that the memory holds."""
        if self.most is not None:
            return self.most
        free = free_bytes(self.device)
        return self.pages + int((free - (1 - SHARE) * (free + self.bytes)) / self.page_bytes)

    def release(self) -> None:
        """Gives all memory back. No page may be in use."""
        self._blocks, self.places = [], self.places[:0]

    def to_host(self, pages: Sequence[int]) -> PagesOnHost:
        parts: list[tuple[list[int], Tensor]] = []
        for block, which in self._by_block(pages).items():
            content = self._blocks[block][:, self._indices([pages[at] % self.per for at in which])]
            parts.append((which, content.cpu()))
        return PagesOnHost(parts)

    def from_host(self, kept: PagesOnHost, pages: Sequence[int], first: int) -> None:
        """Restores the pages of a row from page number `first` on. Those before it are still in the cache."""
        for which, content in kept.parts:
            needed = [at for at, number in enumerate(which) if number >= first]
            if needed:
                moved = content.to(self.device)[:, needed]  # choosing on the host would be slower than copying all
                targets = [pages[which[at]] for at in needed]
                for block, places in self._by_block(targets).items():
                    into = self._indices([targets[at] % self.per for at in places])
                    self._blocks[block][:, into] = moved[:, self._indices(places)]

    def _by_block(self, pages: Sequence[int]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for at, page in enumerate(pages):
            found.setdefault(page // self.per, []).append(at)
        return found

    def _indices(self, numbers: list[int]) -> Tensor:
        return torch.tensor(numbers, device=self.device)

    def copy(self, source: Sequence[int], target: Sequence[int], table: Any) -> None:
        """Copies pages within the device."""
        places = [torch.from_numpy(self.places[np.array(side)]).to(self.device) for side in (source, target)]
        kernels.move(self.cache(table), self.layers, *places)
