"""Held-out rows of `functions`, from its library. The training tasks are not rows: the environment generates them."""

from authoring.engine import Builder
from verigym.environments.functions import requests

BUILDER = Builder(
    name="functions", seed=requests.SEED, sizes={"val": requests.SIZES["val"]}, draw_all=requests.tasks, cheats_every=2
)
