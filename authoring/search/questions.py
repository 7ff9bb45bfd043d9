"""The question families of each split."""

from authoring.search.shapes import Family
from authoring.search.train_comparisons import COMPARE, COUNT, LIST, NOT, RECKON
from authoring.search.train_steps import ONE, THREE, TWO
from authoring.search.train_unanswerable import UNANSWERABLE
from authoring.search.val_questions import VAL

TRAIN = [*ONE, *TWO, *THREE, *COMPARE, *COUNT, *LIST, *RECKON, *NOT, *UNANSWERABLE]
FAMILIES: dict[str, list[Family]] = {"train": TRAIN, "val": VAL}
