"""Simulated training runs: healthy ones, as noisy as small batches make them, and the same with one disease planted."""

import math
import random
from collections.abc import Callable
from typing import Any

Run = dict[int, dict[str, float]]
Disease = Callable[[float, dict[str, float], random.Random], None]
"""(how far the disease is, 0 to 1; a step's metrics, changed in place; noise)"""


def healthy(draw: random.Random, steps: int = 100, eval_every: int = 5) -> Run:
    """Reward and success rise and level off; entropy and length drift, as they do; a spread of sizes, speeds and noises."""
    episodes, prompts, tasks = draw.choice([48, 64, 128, 512]), draw.choice([8, 16, 64]), draw.choice([60, 100, 240])
    start, gain, pace = draw.uniform(0.1, 0.4), draw.uniform(0.25, 0.5), draw.uniform(10, 35)
    entropy, longer = draw.uniform(0.2, 1.5), draw.uniform(0.6, 1.6)

    def rate(true: float, n: int) -> float:
        """A share of n, as it comes out; episodes of one task resemble each other, so noise is half as much again."""
        spread = 1.5 * math.sqrt(max(0.0, true * (1 - true)) / n)
        return min(1.0, max(0.0, draw.gauss(true, spread)))

    run: Run = {}
    for step in range(1, steps + 1):
        learnt = 1 - math.exp(-step / pace)
        passed = start + gain * learnt
        valid = 0.8 + 0.18 * learnt
        seen = rate(passed, episodes)
        run[step] = {
            "passed": seen,
            "reward": 2 * seen - 1 + draw.gauss(0, 0.02),
            "live_groups": rate(0.75 - 0.3 * learnt, prompts),
            "length": 40 * (1 + (longer - 1) * learnt) * math.exp(draw.gauss(0, 0.08)),
            "truncated": rate(0.004, episodes),
            "entropy": entropy * (1 - 0.65 * learnt) * math.exp(draw.gauss(0, 0.12)),
            "kl": 0.12 * step / steps * math.exp(draw.gauss(0, 0.2)),
            "teacher_kl": (0.1 + 0.5 * (1 - learnt)) * math.exp(draw.gauss(0, 0.15)),
            "explained_variance": 0.1 + 0.5 * learnt + draw.gauss(0, 0.1),
            "mismatch": 0.01 * math.exp(draw.gauss(0, 0.4)),
            "clipped": rate(0.01, episodes),
            "grad_norm": 0.4 * math.exp(draw.gauss(0, 0.35)),
            "valid": rate(valid, episodes),
            "unsafe": rate(0.02, episodes),
            "part/tool": rate(min(0.95, passed + 0.2), episodes),
            "part/valid": rate(valid, episodes),
        }
        if step % eval_every == 0:
            run[step] |= {
                "held_out_success": rate(passed - 0.05, tasks),
                "held_out_valid": rate(valid, tasks),
                "held_out_unsafe": rate(0.02, tasks),
            }
    return run


def sick(disease: Disease, draw: random.Random, steps: int = 100, onset: int = 30) -> Run:
    """Healthy until the onset; from there the disease grows to its full size at the end."""
    run = healthy(draw, steps)
    for step, metrics in run.items():
        if step > onset:
            disease((step - onset) / (steps - onset), metrics, draw)
    return run


def hacking(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    metrics["reward"] += 0.8 * far
    if "held_out_success" in metrics:
        metrics["held_out_success"] = max(0.0, metrics["held_out_success"] - 0.4 * far)


def collapse(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    metrics["entropy"] *= math.exp(-4 * far)


def explosion(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    metrics["length"] *= 1 + 8 * far


def cut_off(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    metrics["truncated"] = min(1.0, metrics["truncated"] + 0.5 * far)


def little_room(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    metrics["truncated"] = min(1.0, metrics["truncated"] + 0.05)


def silence(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    _stuck(metrics, draw, 0.2 * (1 - far))
    metrics["length"] *= 1 - 0.9 * far


def one_part(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    _stuck(metrics, draw, 0.12)
    metrics["part/valid"] = min(1.0, draw.gauss(0.995, 0.004))


def bad_format(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    metrics["valid"] -= 0.3 * far


def bad_format_held_out(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    if "held_out_valid" in metrics:
        metrics["held_out_valid"] -= 0.4 * far


def danger(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    metrics["unsafe"] += 0.2 * far


def danger_held_out(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    if "held_out_unsafe" in metrics:
        metrics["held_out_unsafe"] += 0.4 * far


def too_hard(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    _stuck(metrics, draw, 0.03)
    metrics["live_groups"] = max(0.0, draw.gauss(0.08, 0.08))


def too_easy(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    _stuck(metrics, draw, 0.98)
    metrics["live_groups"] = max(0.0, draw.gauss(0.08, 0.08))


def far_away(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    metrics["kl"] *= math.exp(4 * far)


def lost_teacher(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    metrics["teacher_kl"] *= 1 + 5 * far


def blind(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    metrics["explained_variance"] -= 2 * far


def stale(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    metrics["mismatch"] *= 1 + 30 * far


def spikes(far: float, metrics: dict[str, float], draw: random.Random) -> None:
    if draw.random() < 0.1:
        metrics["grad_norm"] *= 40


def flat(draw: random.Random, steps: int = 100) -> Run:
    """Nothing is learnt from the first step on."""
    run = healthy(draw, steps)
    level = draw.uniform(0.05, 0.6)
    for metrics in run.values():
        _stuck(metrics, draw, level)
    return run


def _stuck(metrics: dict[str, float], draw: random.Random, level: float) -> None:
    metrics["passed"] = min(1.0, max(0.0, draw.gauss(level, 0.04)))
    metrics["reward"] = 2 * metrics["passed"] - 1 + draw.gauss(0, 0.02)
    if "held_out_success" in metrics:
        metrics["held_out_success"] = min(1.0, max(0.0, draw.gauss(level, 0.04)))


DISEASES: dict[str, tuple[str, Any]] = {
    "reward hacking": ("held-out falls", hacking),
    "entropy": ("entropy collapse", collapse),
    "longer and longer": ("lengths explode", explosion),
    "cut off": ("lengths explode", cut_off),
    "too little room": ("replies truncated", little_room),
    "silence": ("lengths collapse", silence),
    "one part": ("part maxed", one_part),
    "format in training": ("format regresses", bad_format),
    "format held out": ("format regresses", bad_format_held_out),
    "unsafe in training": ("safety regresses", danger),
    "unsafe held out": ("safety regresses", danger_held_out),
    "too hard": ("tasks too hard", too_hard),
    "too easy": ("tasks too easy", too_easy),
    "KL": ("KL runs away", far_away),
    "teacher": ("teacher is lost", lost_teacher),
    "critic": ("critic is blind", blind),
    "stale sampler": ("sampler differs", stale),
    "spikes": ("gradient spikes", spikes),
    "flat": ("nothing learnt", flat),
}
"""The kind of alarm that each must raise, and how it is planted."""
