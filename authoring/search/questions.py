"""The families of questions of each split."""

from authoring.search.questions_train import ONE, THREE, TWO
from authoring.search.questions_train_many import COMPARE, COUNT, LIST, NOT, RECKON, UNANSWERABLE
from authoring.search.questions_val import VAL
from authoring.search.shapes import Family

TRAIN = [*ONE, *TWO, *THREE, *COMPARE, *COUNT, *LIST, *RECKON, *NOT, *UNANSWERABLE]
FAMILIES: dict[str, list[Family]] = {"train": TRAIN, "val": VAL}
