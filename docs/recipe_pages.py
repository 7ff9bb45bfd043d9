"""Writes the page of every recipe with measured results, its picture, the list of pages and the README's picture:

    python docs/recipe_pages.py

The figures come from results/qwen_domains.jsonl, which bench/domains.py writes. The words come from recipes/notes.yaml, which
people write. A run counts as one of the shipped recipe if the recipe file says the same as the fields that the run was given.
All other runs of a recipe are listed as tried. The list of pages in mkdocs.yml and in the index of the documents is written too.
"""

import json
import re
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from verigym.core.errors import VerigymError
from verigym.draw.lines import lines
from verigym.draw.svg import Drawing, circle, empty, group, line, some, svg, text, ticks, width_of
from verigym.training.recipe import read_recipe, recipe_json

ROOT = Path(__file__).resolve().parents[1]
RESULTS = "docs/results/qwen_domains.jsonl"
NOTES = "docs/recipes/notes.yaml"
OVERVIEW = "docs/images/recipes/overview.svg"
OWN = ["model", "seed", "name", "start", "eval_interval", "eval_tasks", "checkpoints", "dollars_per_hour"]
"""Fields that differ from run to run of the same recipe, or do not change what is learnt."""
FOLDERS = {"q05": "Qwen/Qwen2.5-Coder-0.5B-Instruct", "q15": "Qwen/Qwen2.5-Coder-1.5B-Instruct"}
"""Names of folders with weights, as runs store them, and the models in them."""
MOST_TAGS = 16
"""Tags of an environment that a page shows."""
PAGES = ("qwen_*.yaml", "toolcall_wide_*.yaml")
"""Recipes that have a page."""
EARLIER = {"toolcall_wide_rft": "toolcall_wide_sft", "toolcall_wide_dapo": "toolcall_wide_rft"}
"""Recipes that start from the version of another one, besides NAME and NAME_sft."""
BEGIN, END = "recipe pages begin", "recipe pages end"
Row = dict[str, Any]


class RecipePage(NamedTuple):
    """One recipe with its words and its runs."""

    name: str
    """`toolcall` for recipes/qwen_toolcall.yaml."""
    path: Path
    notes: dict[str, Any]
    """title, about, after, also and failures, as in notes.yaml."""
    shipped: list[Row]
    """Runs of the recipe as it is, by seed."""
    tried: list[Row]
    """Its other runs."""

    @property
    def title(self) -> str:
        return self.notes.get("title") or self.name.replace("_", " ").capitalize()

    @property
    def weights(self) -> list[str]:
        """What the runs say about the weights."""
        return list(dict.fromkeys(row["note"] for row in (self.shipped or self.tried) if row.get("note")))


def read_pages(root: Path) -> list[RecipePage]:
    """The pages of all recipes that PAGES selects, in the order of notes.yaml, then by name."""
    notes: dict[str, Any] = yaml.safe_load((root / NOTES).read_text()) or {}
    rows = [json.loads(row) for row in (root / RESULTS).read_text().splitlines() if row.strip()]
    found = [path for pattern in PAGES for path in sorted((root / "recipes").glob(pattern))]
    paths = {path.stem.removeprefix("qwen_"): path for path in found}
    order = [*(name for name in notes if name in paths), *(name for name in paths if name not in notes)]
    pages: list[RecipePage] = []
    for name in order:
        of_file = [row for row in rows if row["recipe"] == paths[name].stem]
        shipped = {row["seed"]: row for row in of_file if is_shipped(paths[name], row)}  # the last run of a seed counts
        chosen = list(shipped.values())
        also = [row for row in rows if row["recipe"] in notes.get(name, {}).get("also", [])]
        tried = [row for row in of_file if row not in chosen] + also
        by_seed = sorted(chosen, key=lambda row: row["seed"])
        pages.append(RecipePage(name, paths[name], notes.get(name, {}), by_seed, tried))
    return pages


def is_shipped(path: Path, row: Row) -> bool:
    """Whether a run had the settings that the recipe file has now."""
    return not differences(path, row)


def differences(path: Path, row: Row) -> list[str]:
    """In which a run differs from the recipe file, in words and in fields as they are written on the command line. A run that
    did not store its recipe is judged by the fields that it was given."""
    recipe = read_recipe(path)
    model = FOLDERS.get(row.get("model", ""), row.get("model", ""))
    other = [] if model in ("", recipe.model) else [f"`model={model}`"]
    other += ["without the first stage"] if first_stage(path) and "start" not in row else []
    if not row.get("fields"):
        given = [one for one in row["set"] if one.partition("=")[0].partition(".")[0] not in OWN]
        return [*other, *(f"`{one}`" for one in given if not _says(path, one))]
    now, then = flat(recipe_json(recipe)), flat(row["fields"])
    names = [name for name in {**now, **then} if name.partition(".")[0] not in OWN and now.get(name) != then.get(name)]
    left_out = [name for name in names if then.get(name) in (None, "", {})]
    changed = [f"`{name}={_value(then[name])}`" for name in names if name not in left_out]
    groups = dict.fromkeys(name.partition(".")[0] if _unused(name, row) else name for name in left_out)
    return [*other, *changed, *([f"without {', '.join(f'`{name}`' for name in groups)}"] if groups else [])]


def _unused(name: str, row: Row) -> bool:
    """Whether a run stored nothing of the group to which a field belongs."""
    return not row["fields"].get(name.partition(".")[0])


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def first_stage(path: Path) -> Path | None:
    """The recipe whose version this one starts from: qwen_toolcall_sft.yaml for qwen_toolcall.yaml."""
    earlier = path.with_name(f"{EARLIER.get(path.stem, f'{path.stem}_sft')}.yaml")
    return earlier if earlier.exists() else None


def _says(path: Path, field: str) -> bool:
    """Whether a recipe file already has this value."""
    try:
        return read_recipe(path, [field]) == read_recipe(path)
    except VerigymError:  # a field of an earlier release
        return False


def flat(group: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """`{"loss": {"kl": 0}}` as `{"loss.kl": 0}`."""
    values: dict[str, Any] = {}
    for name, value in group.items():
        values |= flat(value, f"{prefix}{name}.") if isinstance(value, dict) and value else {prefix + name: value}
    return values


# -- words ----------------------------------------------------------------------------------------------------------


def percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def points(gain: Sequence[float]) -> str:
    """`+61.0 points (53.8 to 68.2)`"""
    return f"{100 * gain[0]:+.1f} points ({100 * gain[1]:.1f} to {100 * gain[2]:.1f})"


def share(estimate: Sequence[float]) -> str:
    """`75.5% (67.3 to 82.2)`"""
    return f"{percent(estimate[0])} ({100 * estimate[1]:.1f} to {100 * estimate[2]:.1f})"


def prose(words: str) -> str:
    """A paragraph in lines that are short enough to read."""
    return textwrap.fill(" ".join(words.split()), 118, break_long_words=False, break_on_hyphens=False)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


def steps_of(row: Row) -> int:
    return max((int(one["step"]) for one in row["curve"]), default=0)


def cost(page: RecipePage) -> str:
    """Seconds of training and, if known, memory."""
    seconds = [row["seconds"] for row in page.shipped]
    low, high = round(min(seconds)), round(max(seconds))
    took = f"{low} s" if low == high else f"{low} to {high} s"
    machine = page.shipped[0]["machine"]
    said = f"Training took {took} on one {machine} ({steps_of(page.shipped[0])} steps)."
    if earlier := first_stage(page.path):
        said += f" The stage before it comes on top of that ([its page]({earlier.stem.removeprefix('qwen_')}.md))."
    memory = [row["memory_gb"] for row in page.shipped if row.get("memory_gb")]
    return f"{said} It used {max(memory):.0f} GB of the GPU." if memory else said


def results_table(page: RecipePage) -> str:
    """Base, start if there is one, trained and gain, for each seed and environment."""
    starts, rewards = (any(row.get(key) for row in page.shipped) for key in ("start", "reward"))
    head = ["seed", "environment", "held-out tasks", "base model", *(["start"] if starts else []), "trained", "gain"]
    rows = [
        [
            str(row["seed"]),
            environment(name),
            str(trained[3]),
            share(row["base"][name]),
            *([share(row["start"][name]) if row.get("start") else ""] if starts else []),
            share(trained),
            points(row["gain"][name]),
            *([_rewards(row.get("reward", {}).get(name))] if rewards else []),
            f"{row['seconds']:.0f}",
        ]
        for row in page.shipped
        for name, trained in row["trained"].items()
    ]
    return table([*head, *(["mean reward"] if rewards else []), "seconds"], rows)


def _rewards(means: dict[str, float] | None) -> str:
    """`0.31 to 0.78`: before and after training."""
    return f"{means['base']:.2f} to {means['trained']:.2f}" if means else ""


def tried_table(page: RecipePage) -> str:
    rows = [
        [
            _changed(page, row),
            str(row["seed"]),
            environment(name),
            share(row["base"][name]),
            share(trained),
            points(row["gain"][name]),
            f"{row['seconds']:.0f}",
        ]
        for row in page.tried
        for name, trained in row["trained"].items()
    ]
    return table(["settings", "seed", "environment", "base model", "trained", "gain", "seconds"], rows)


def _changed(page: RecipePage, row: Row) -> str:
    """The recipe, if it is another one, and in what the run differs."""
    if row["recipe"] != page.path.stem:
        return " ".join(f"`{one}`" for one in [row["recipe"], *row["set"]])
    return ", ".join(differences(page.path, row)) or "the same, an earlier run"


def environment(name: str) -> str:
    """`toolcall` for `toolcall?train=grammar`."""
    return name.partition("?")[0]


def tags_table(page: RecipePage) -> str:
    """Success of the trained version by tag, of the first run that has tags."""
    found = next((row["by_tag"] for row in page.shipped if row.get("by_tag")), {})
    rows = [
        [environment(name), tag, str(tasks), percent(value)]
        for name, tags in found.items()
        for tag, (value, tasks) in list(tags.items())[:MOST_TAGS]
    ]
    return table(["environment", "tag", "held-out tasks", "trained"], rows) if rows else ""


def shifts_table(page: RecipePage) -> str:
    """Success before and after training by kind of shift, of the first run that has it."""
    found = next((row["by_shift"] for row in page.shipped if row.get("by_shift")), {})
    rows = [
        [environment(name), kind, str(tasks), percent(before), percent(value)]
        for name, kinds in found.items()
        for kind, (value, tasks, before) in kinds.items()
    ]
    return table(["environment", "what is new", "held-out tasks", "base", "trained"], rows) if rows else ""


def page_text(page: RecipePage) -> str:
    """The page of a recipe as Markdown."""
    recipe = re.sub(r"^#.*\n", "", page.path.read_text(), flags=re.MULTILINE).strip()
    parts = [f"# {page.title}", prose(page.notes.get("about") or _first_comment(page.path))]
    stages = [page.path]
    while earlier := first_stage(stages[0]):
        stages.insert(0, earlier)
    commands = [f"verigym train recipes/{path.name}{' start=latest' if i else ''}" for i, path in enumerate(stages)]
    parts += ["```\n" + "\n".join(commands) + "\n```"]
    if page.notes.get("after"):
        parts.append(prose(page.notes["after"]))
    parts += [f"The recipe:\n\n```yaml\n{recipe}\n```"]
    if page.shipped:
        parts += [
            "## Result",
            prose("All held-out tasks, greedy. In brackets: the 95% interval. The gain is paired by task."),
            results_table(page),
        ]
        parts += [*(prose(_sentence(note)) for note in page.weights)]
        tags = tags_table(page)
        parts += [prose(f"Seed {page.shipped[0]['seed']} by tag of the task:"), tags] if tags else []
        shifts = shifts_table(page)
        words = "By what is new about a held-out task, compared with the training tasks (`verigym eval --by shift`):"
        parts += [prose(words), shifts] if shifts else []
        parts += ["## Cost", prose(cost(page))]
        parts += ["## Curve", f"![Training of {page.title}](../images/recipes/{page.name}.svg)"]
        parts += [prose("Held-out success on the way is that of the tasks which the recipe's `eval_tasks` selects.")]
    else:
        parts += ["## Result", prose("There is no run of these settings yet. " + _how_to(page))]
    parts += ["## What else was tried"] if page.tried else []
    if page.tried:
        parts += [prose("One run for each line, with these fields in place of those above."), tried_table(page)]
        parts += [*(prose(_sentence(note)) for note in page.weights)] if not page.shipped else []
    failures: list[str] = page.notes.get("failures") or []
    parts += ["## What did not work"] if failures else []
    parts += ["\n".join(_bullet(one) for one in failures)] if failures else []
    parts += (
        [prose(f"The figures are in [qwen_domains.jsonl](../results/{Path(RESULTS).name}). {_how_to(page)}")]
        if page.shipped
        else []
    )
    return "\n\n".join(parts) + "\n"


def _how_to(page: RecipePage) -> str:
    return f"`python bench/domains.py recipes/{page.path.name} --model FOLDER` measures it."


def _sentence(note: str) -> str:
    """A note of a run as a sentence of its own."""
    said = note.strip().replace(";", ".")
    said = ". ".join(part.strip()[:1].upper() + part.strip()[1:] for part in said.split(".") if part.strip())
    return f"{said}."


def _bullet(words: str) -> str:
    return textwrap.fill(
        " ".join(words.split()), 118, initial_indent="- ", subsequent_indent="  ", break_long_words=False
    )


def _first_comment(path: Path) -> str:
    comment = re.match(r"(?:#.*\n)+", path.read_text())
    return " ".join(line.lstrip("# ") for line in comment[0].splitlines()) if comment else ""


def index_text(pages: Sequence[RecipePage]) -> str:
    """The page that lists the recipes."""
    parts = ["# Recipes and their results"]
    about = """Recipes for Qwen2.5-Coder and SmolLM2 on the shipped environments, each with its command, its cost, its curve and
    what did not work. Every figure is measured on all held-out tasks, before and after training. The weights are those of the
    published GGUF file, dequantised, so figures of the full weights will differ."""
    parts += [prose(about)]
    measured = [page for page in pages if page.shipped]
    if measured:
        parts += ["![Held-out success before and after training](../images/recipes/overview.svg)"]
    rows = []
    for page in pages:
        link = f"[{page.title}]({page.name}.md)"
        if not page.shipped:
            rows.append([link, f"`{page.path.stem}`", "not measured yet", "", ""])
        for row in page.shipped:
            rows.append([link, f"`{page.path.stem}`", _gains(row), str(row["seed"]), f"{row['seconds']:.0f}"])
    parts += [table(["recipe", "file", "gain", "seed", "seconds"], rows)]
    more = """To train another model, set `model=` on the command line. [Train](../how-to/training.md) explains the methods, and
    [Recipes](../reference/recipes.md) every field."""
    parts += [prose(more)]
    return "\n\n".join(parts) + "\n"


def _gains(row: Row) -> str:
    """The gain with its interval, or the mean gain of several environments."""
    gains = list(row["gain"].values())
    if len(gains) == 1:
        return points(gains[0])
    mean = sum(gain[0] for gain in gains) / len(gains)
    return f"{100 * mean:+.1f} points, the mean of {len(gains)} environments"


# -- pictures -------------------------------------------------------------------------------------------------------


def curve_picture(page: RecipePage) -> Drawing:
    """The pass rate of training episodes and held-out success, by step, for each seed."""
    series: dict[str, dict[float, float]] = {}
    for row in page.shipped:
        mark = f", seed {row['seed']}" if len(page.shipped) > 1 else ""
        for label, key in (("passed in training", "passed"), ("held-out success", "held_out_success")):
            curve = {float(one["step"]): float(one[key]) for one in row["curve"] if key in one}
            series |= {f"{label}{mark}": curve} if curve else {}
    return lines(series, title=page.title, x="step", y="share", width=640, height=300)


class Change(NamedTuple):
    """Held-out success of one environment before training, and after it with each seed: value, low, high."""

    name: str
    before: Sequence[float]
    after: list[Sequence[float]]


def changes(pages: Sequence[RecipePage]) -> list[Change]:
    found: list[Change] = []
    for page in pages:
        for name in page.shipped[0]["trained"] if page.shipped else []:
            several = len(page.shipped[0]["trained"]) > 1
            label = environment(name).replace(":", ": ").replace("_", " ") if several else page.title
            rows = [row for row in page.shipped if name in row["trained"]]
            found.append(Change(label, rows[0]["base"][name], [row["trained"][name] for row in rows]))
    return found


def overview_picture(rows: Sequence[Change], *, width: float = 760) -> Drawing:
    """One line for each environment: success before training (grey) and after it (a dot for each seed), with intervals."""
    title = "Held-out success before and after training on one H200"
    if not rows:
        return empty(title, width=width)
    left, right, top = max(width_of(row.name) for row in rows) + 22, width - 120, 56.0
    heights = [18 + 12 * len(row.after) for row in rows]
    marks, bottom = ticks(0.0, 1.0, 5), top + sum(heights)

    def to_x(value: float) -> float:
        return left + value * (right - left)

    body = [text(0, 16, title, kind="title")]
    body += [circle(left + 4, 34, 4, "grey fill"), text(left + 14, 38, "before")]
    body += [circle(left + 84, 34, 4, "passed fill"), text(left + 94, 38, "after, one dot for each seed")]
    for mark in marks:
        body += [line(to_x(mark), top - 4, to_x(mark), bottom, "grid")]
        body += [text(to_x(mark), bottom + 16, f"{100 * mark:.0f}%", anchor="middle")]
    said: list[str] = []
    y = top
    for row, height in zip(rows, heights, strict=True):
        dots = [(row.before, "grey"), *((after, "passed") for after in row.after)]
        drawn = [text(left - 12, y + height / 2 + 4, row.name, anchor="end")]
        for index, (estimate, colour) in enumerate(dots):
            at = y + 9 + (height - 18) * (index / (len(dots) - 1))
            drawn.append(line(to_x(estimate[1]), at, to_x(estimate[2]), at, f"{colour} stroke"))
            drawn.append(circle(to_x(estimate[0]), at, 4, f"{colour} fill"))
        mean = sum(after[0] for after in row.after) / len(row.after)
        words = f"{percent(row.before[0])} to {percent(mean)}"
        drawn.append(text(width, y + height / 2 + 4, words, anchor="end", kind="strong"))
        said.append(f"{row.name}: {words}")
        body.append(group(said[-1], drawn))
        y += height
    return svg(width, bottom + 24, f"{title}. {some(said, 20)}", body)


# -- files ----------------------------------------------------------------------------------------------------------


def between(whole: str, inner: str, comment: str) -> str:
    """The text with what is between its two marks replaced. `comment` is how the file writes a comment, with {} for the words."""
    begin, end = comment.format(BEGIN), comment.format(END)
    assert begin in whole and end in whole, f"the marks {begin} and {end} are missing"
    before, _, rest = whole.partition(begin)
    indent = before[before.rfind("\n") + 1 :]
    return f"{before}{begin}\n{inner}\n{indent}{end}{rest.partition(end)[2]}"


def written(root: Path = ROOT) -> dict[str, str]:
    """Every file that the command writes, and its text."""
    pages = read_pages(root)
    files = {"docs/recipes/README.md": index_text(pages), OVERVIEW: overview_picture(changes(pages))}
    for page in pages:
        files[f"docs/recipes/{page.name}.md"] = page_text(page)
        if page.shipped:
            files[f"docs/images/recipes/{page.name}.svg"] = curve_picture(page)
    nav = [f"      - {page.title}: recipes/{page.name}.md" for page in pages]
    links = [f"- [{page.title}](recipes/{page.name}.md)" for page in pages]
    for path, inner, comment in (
        ("mkdocs.yml", nav, "# {}"),
        ("docs/README.md", ["", *links, ""], "<!-- {} -->"),
    ):
        files[path] = between((root / path).read_text(), "\n".join(inner), comment)
    return files


def main() -> None:
    for name, body in written().items():
        path = ROOT / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != body:
            path.write_text(body)
            print(name)


if __name__ == "__main__":
    main()
