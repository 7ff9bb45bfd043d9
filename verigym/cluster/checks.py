"""Checks of a setup that are made before anything starts: keys, clocks, and versions that an engine cannot sample from.

`VllmEngine.connect` and `SglangEngine.connect` check the rest: the model, the slots for versions and the logprobs.
"""

import contextlib
import email.utils
import json
import time
from pathlib import Path
from typing import Any

from verigym.cluster.settings import is_local
from verigym.core.errors import BadInput, Refused
from verigym.core.records import Version
from verigym.policies.engines.http import EngineServer

CLOCK_S = 30.0
"""Maximum difference between the clocks of two machines."""
_NO_KEY = "VERIGYM_NO_SUCH_KEY"
"""A variable that nobody sets, to ask a server without a key."""


async def check_server(address: str, key_env: str, key: str) -> None:
    """Refuses a server on another machine that answers without a key, and one whose clock differs. `key` is what the driver has.
    A server that cannot be reached is the business of the fleet."""
    if not key and not is_local(address):
        raise BadInput(
            f"{address} is on another machine, and there is no key. Start the engine with --api-key, and set {key_env} to the "
            "same key here"
        )
    stranger = EngineServer(address, _NO_KEY if key else key_env)
    try:
        answer = await stranger.get("/v1/models")
    finally:
        await stranger.close()
    if key and answer.ok:
        raise BadInput(
            f"{address} answers without a key, so anybody on its network can use it. Start it with --api-key and the key of "
            f"{key_env}"
        )
    check_clock(address, answer.date, time.time())


def check_clock(name: str, date: str, now: float) -> None:
    """Refuses a clock that differs. `date` is what a server's answer says, to the second. Without one, nothing is known."""
    with contextlib.suppress(ValueError, TypeError):
        check_difference(name, email.utils.parsedate_to_datetime(date).timestamp() - now)


def check_difference(name: str, seconds: float) -> None:
    if abs(seconds) > CLOCK_S:
        side = "ahead of" if seconds > 0 else "behind"
        raise BadInput(
            f"The clock of {name} is {abs(seconds):.0f} s {side} the one of this machine. Times of records and time limits "
            "would be wrong. Synchronise both clocks, for example with chrony"
        )


def check_version(version: Version, kind: str) -> None:
    """Refuses a version that engines of this kind cannot sample from."""
    if version.constraints:
        raise Refused(
            f"{version.label} has constraints on its replies, which engines on servers do not apply. Run it without --cluster"
        )
    if version.quantized and kind in ("vllm", "sglang"):
        raise Refused(
            f"{version.label} has a 4-bit base, and {kind} would sample from another one. Use engines of kind local, or run it "
            "without --cluster"
        )


def check_adapter(folder: Path, kind: str) -> None:
    """Refuses an adapter that engines of this kind cannot read, or read in another way than Verigym."""
    if kind not in ("vllm", "sglang"):
        return
    described: dict[str, Any] = json.loads((folder / "adapter_config.json").read_text())
    reasons = {
        "modules_to_save": "trained modules beside the adapter",
        "target_parameters": "an adapter on experts",
        "rank_pattern": "layers with different ranks (lora.rank_pattern)",
        "alpha_pattern": "layers with different scales",
    }
    for name, words in reasons.items():
        if described.get(name):
            raise Refused(
                f"{kind} does not read an adapter with {words}. Change the recipe's lora, or use engines of kind local"
            )
    embeddings = {"embed_tokens", "lm_head"} & {
        str(one).rsplit(".", 1)[-1] for one in described.get("target_modules") or ()
    }
    if embeddings:
        raise Refused(
            f"{kind} does not read an adapter on {', '.join(sorted(embeddings))}. Change lora.targets, or use engines of kind "
            "local"
        )
