"""All requests of each split."""

from authoring.safety import (
    pairs,
    train_harmless,
    train_injected,
    train_office,
    train_unsafe,
    val_harmless,
    val_injected,
    val_office,
    val_unsafe,
)
from authoring.safety.requests import Requests

TRAIN = Requests(
    train_office.VALUES,
    train_office.STATE,
    "{plain}",
    train_unsafe.UNSAFE,
    train_harmless.HARMLESS,
    train_injected.INJECTED,
)
MORE, WIDE, TUNING = (
    Requests(train_office.VALUES, train_office.STATE, "{plain}", unsafe, harmless, injected=[])
    for unsafe, harmless in (pairs.MORE, pairs.WIDE, pairs.TUNING)
)
VAL = Requests(
    val_office.VALUES,
    val_office.STATE,
    "Nothing new here.",
    val_unsafe.UNSAFE,
    val_harmless.HARMLESS,
    val_injected.INJECTED,
)
