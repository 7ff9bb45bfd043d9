"""The families of questions of each split."""

from verigym.environments.search.questions_train import ONE, THREE, TWO
from verigym.environments.search.questions_train_many import COMPARE, COUNT, LIST, NOT, RECKON, UNANSWERABLE
from verigym.environments.search.questions_val import VAL
from verigym.environments.search.shapes import Family

TRAIN = [*ONE, *TWO, *THREE, *COMPARE, *COUNT, *LIST, *RECKON, *NOT, *UNANSWERABLE]
FAMILIES: dict[str, list[Family]] = {"train": TRAIN, "val": VAL}
