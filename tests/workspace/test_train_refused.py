"""What training refuses, in words and before anything was begun; and what breaks on the way, which the same call goes on from."""

import errno
import os
import resource
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.tiny import tiny
from tests.workspace.desk import DESK, Bench, desk, example, keep, preference, save_tiny
from verigym.core.errors import BadInput, InfrastructureFailure, NotFound, Refused, VerigymError
from verigym.core.records import Version
from verigym.environments.load import load_environment
from verigym.model import lora, lora_files
from verigym.training import loop
from verigym.training.alarms import Alarm, StoredAlarm
from verigym.training.checkpoint import save_checkpoint
from verigym.training.update import make_optimizer
from verigym.workspace import datasets as data
from verigym.workspace import measure as stages
from verigym.workspace.dry_run import dry_run

# -- recipes that make no sense -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"learning_rat": 1}, "unknown key learning_rat. Did you mean learning_rate?"),
        ({"loss": {"clip_hi": 0.3}}, "unknown key loss.clip_hi. Did you mean loss.clip_high?"),
        (
            {"advantage": {"xyz": 1}},
            "unknown key advantage.xyz. Valid keys: baseline, scale, scale_from, rewards, credit, discount",
        ),
        ({"steps": "ten"}, r"steps"),
        ({"steps": 0}, r"steps must be a whole number, at least 1"),
        ({"steps": 2.5}, r"steps must be a whole number, without decimals"),
        ({"learning_rate": "fast"}, r"learning_rate must be a number"),
        ({"learning_rate": float("nan")}, r"learning_rate must be a number"),
        ({"loss": 3}, r"loss must be keys and values"),
        ({"loss": {"kl": -1}}, r"loss.kl must be a number, at least 0"),
        ({"loss": {"ratio": "word"}}, r"loss.ratio cannot be"),
        ({"reward": ["letters"]}, r"reward must be text or keys and values, not a list"),
        ({"environments": {"toolcall": "much"}}, r"environments\[...\] must be a number"),
        ({"algorithm": "a2c"}, r'algorithm cannot be "a2c"'),
        ({"num_generations_per_prompt": 1}, "must be at least 2"),
        ({"environment": ""}, "reward is missing"),
        ({"environments": {"toolcall": 1}}, "`environment` and `environments` cannot be combined"),
        ({"algorithm": "dpo"}, "data is missing. dpo trains on preferences"),
        ({"data": "x", "num_tasks": 2}, "num_tasks and `data: RUN` cannot be combined"),
        ({"rehearse": {"plain": 0.2}}, "rehearse works only with sft. To keep grpo near its start, use loss.kl"),
        (
            {"algorithm": "sft", "rehearse": {"plain": 0.6, "toolcall": 0.5}},
            "rehearse: the sum of the shares must be below 1",
        ),
        ({"algorithm": "sft", "rehearse": {"plain": 1}}, r"rehearse\[...\] must be a number, less than 1"),
        (
            {"algorithm": "sft", "reward_model": "x"},
            "reward_model cannot be used with sft, which trains on a dataset",
        ),
        (
            {"algorithm": "reward", "data": "x", "held_out_eval": "desk_eval"},
            "held_out_eval cannot be used with algorithm: reward",
        ),
        ({"episodes": {"overlong_buffer": 8}}, r"overlong_buffer must be smaller than max_tokens \(8\)"),
        ({"reward": {"letters": float("inf")}}, "every weight must be a finite number"),
        ({"advantage": {"rewards": "each"}}, "each` needs several rewards"),
        (
            {"reward": {"letters": 1, "short": 1}, "advantage": {"rewards": "each", "credit": "step"}},
            "`advantage.rewards: each` and advantage.credit: step cannot be combined",
        ),
        (
            {"reward": {"letters": 1, "short": 1}, "advantage": {"rewards": "each"}, "reward_model": "x"},
            "`advantage.rewards: each` and reward_model cannot be combined",
        ),
    ],
    ids=lambda value: "" if isinstance(value, str) else " ".join(f"{key}={value}" for key, value in value.items())[:40],
)
def test_a_recipe_that_makes_no_sense_is_refused_in_words(bench: Bench, fields: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput, match=words) as refused:
        bench.recipe(**{"algorithm": "grpo", **fields})
    assert str(refused.value).startswith("a test: ") and "$" not in str(refused.value)


# -- what is named and is not there ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "error", "words"),
    [
        ({"reward": "leters"}, NotFound, 'no reward "leters". Did you mean "letters"'),
        ({"reward": {"letters": 1, "shor": 1}}, NotFound, 'no reward "shor". Did you mean "short"'),
        ({"held_out_eval": "desk_evil"}, NotFound, 'no held_out_eval "desk_evil". Did you mean "desk_eval"'),
        ({"environment": "tolcall"}, NotFound, 'no environment "tolcall". Did you mean "toolcall"'),
        ({"environment": "nosuch.py"}, BadInput, "nosuch.py: the file does not exist"),
        ({"environment": None, "reward": "nosuch"}, NotFound, 'no verifier or suite "nosuch"'),
        ({"environment": None, "environments": {"tolcall": 1}}, NotFound, 'Did you mean "toolcall"'),
        (
            {"environment": None, "environments": {"toolcall": 1}, "reward": "leters", "held_out_eval": "all"},
            NotFound,
            'no reward "leters"',
        ),
        (
            {"environment": None, "environments": {"toolcall": 1}, "held_out_eval": "nosuch"},
            NotFound,
            'no held_out_eval "nosuch"',
        ),
        (
            {"environment": None, "environments": {"toolcall": 1}, "reward": {"a": 1}, "held_out_eval": "all"},
            BadInput,
            "several rewards cannot be combined with several environments",
        ),
        ({"start": "nosuch"}, NotFound, 'no version "nosuch"'),
        ({"reward_model": "nosuch"}, NotFound, 'no version "nosuch"'),
        ({"algorithm": "sft", "data": "nosuch"}, NotFound, 'no dataset "nosuch"'),
        ({"model": "http://localhost:8000/v1#qwen"}, Refused, "a model on a server cannot be trained"),
    ],
    ids=lambda value: " ".join(map(str, value)) if isinstance(value, dict) else "",
)
def test_a_name_that_is_not_there_is_answered_with_those_that_are(
    fresh: Bench, fields: dict[str, Any], error: type[VerigymError], words: str
) -> None:
    fields = dict(fields)
    recipe = fresh.recipe(fields.pop("algorithm", "grpo"), **fields)
    for attempt in (dry_run, lambda ws, recipe: fresh.train(recipe.algorithm, **fields)):
        with pytest.raises(error) as refused:
            attempt(fresh.ws, recipe)
        assert words in str(refused.value)
    assert fresh.nothing_was_begun()


# -- data ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["sft", "dpo", "reward"])
def test_families_that_are_held_out_are_never_learnt_from(fresh: Bench, algorithm: str) -> None:
    make = example if algorithm == "sft" else preference
    bad = keep(fresh.ws, make("train-a"), make("val-c"))
    with pytest.raises(
        Refused, match=r"contains family val-c, which is held out in .*desk.py. Held-out families are never"
    ):
        fresh.train(algorithm, data=bad.id)
    assert fresh.nothing_was_begun()


def test_a_file_that_asks_what_is_held_out_is_refused_word_for_word(fresh: Bench) -> None:
    rows = '{"prompt": "say hello", "completion": "hello"}\n{"prompt": "val c", "completion": "c"}\n'
    with pytest.raises(Refused, match=r'row "rows-2" has the prompt of the held-out task val/c of .*desk.py'):
        fresh.train("sft", data=fresh.file("rows.jsonl", rows))
    pairs = '{"prompt": "val d", "chosen": "d", "rejected": "x"}\n'
    with pytest.raises(Refused, match="has the prompt of the held-out task val/d"):
        fresh.train("dpo", data=fresh.file("pairs.jsonl", pairs))
    assert fresh.nothing_was_begun()


def test_a_data_set_of_the_wrong_kind_is_refused(fresh: Bench) -> None:
    demos, pairs = keep(fresh.ws, example("train-a"), name="demos"), keep(fresh.ws, preference("train-a"), name="pairs")
    for algorithm, one, words in (
        ("sft", pairs, "data: pairs contains preferences, but sft needs demonstrations"),
        ("dpo", demos, "data: demos contains demonstrations, but dpo needs preferences"),
        ("reward", demos, "reward needs preferences"),
    ):
        with pytest.raises(Refused, match=words):
            fresh.train(algorithm, data=one.name)
    assert fresh.nothing_was_begun()


@pytest.mark.parametrize("text", ["", "\n\n"], ids=["empty", "blank lines"])
def test_an_empty_file_is_no_data(fresh: Bench, text: str) -> None:
    with pytest.raises(VerigymError, match=r"rows.jsonl"):
        fresh.train("sft", data=fresh.file("rows.jsonl", text))
    assert fresh.nothing_was_begun() and not data.known(fresh.ws)


def test_rows_that_are_no_longer_what_was_written_are_refused(fresh: Bench) -> None:
    demos = keep(fresh.ws, example("train-a"))
    with data.path_of(fresh.ws, demos.id).open("ab") as file:
        file.write(b"{}\n")
    with pytest.raises(Refused, match="have changed"):
        fresh.train("sft", data=demos.id)
    assert fresh.nothing_was_begun()


def test_a_task_without_a_gold_reply_cannot_be_imitated(fresh: Bench) -> None:
    bare = fresh.file("bare.py", DESK.replace('data={"answer": letter}, ', ""))
    with pytest.raises(Refused, match="has no gold solution"):
        fresh.train("sft", environment=bare)
    assert fresh.nothing_was_begun()


def test_an_environment_that_trains_on_what_it_holds_out_is_refused(fresh: Bench) -> None:
    leaky = fresh.file("leaky.py", DESK.replace('family=f"{split}-{letter}"', "family=letter"))
    with pytest.raises(Refused, match="famil"):
        fresh.train(environment=leaky)
    mixed = fresh.file("mixed.py", DESK.replace("split=split", 'split="val"'))
    with pytest.raises(Refused, match=r'tasks\("train"\) contains the held-out task train/a of split "val"'):
        fresh.train(environment=mixed)
    assert fresh.nothing_was_begun()


def test_a_conversation_whose_user_a_model_has_to_play_is_refused(fresh: Bench) -> None:
    talk = desk("return 1.0").replace("def open", "def persona(self): return 'You are Ann.'\n    def open")
    with pytest.raises(Refused, match=r"simulates a user, which needs a model\. Set user in the recipe"):
        fresh.train(environment=fresh.file("talk.py", talk))
    assert fresh.nothing_was_begun()


# -- versions -----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained(bench: Bench) -> Version:
    return bench.train("sft")[0]


@pytest.fixture(scope="module")
def scorer(bench: Bench) -> Version:
    return bench.train("reward", data=keep(bench.ws, preference("train-a"), preference("train-b")).id)[0]


def test_only_a_reward_model_is_learnt_from_as_one(bench: Bench, trained: Version) -> None:
    with pytest.raises(Refused, match=f"reward_model: {trained.id} is not a reward model"):
        bench.train("grpo", reward_model=trained.id)


def test_a_reward_model_is_asked_nothing(bench: Bench, scorer: Version) -> None:
    before = len(bench.ws.store.runs(parent=None))
    environment = load_environment(bench.desk)
    with pytest.raises(Refused, match=f"is a reward model and cannot answer.*reward_model: {scorer.id}\\)"):
        stages.measure(bench.ws, environment, scorer, n=2)
    with pytest.raises(Refused, match="is a reward model"):
        bench.train("grpo", start=scorer.id, lora=None)
    assert len(bench.ws.store.runs(parent=None)) == before


def test_a_reward_model_whose_adapter_is_gone_is_missed_before_the_first_step(bench: Bench, scorer: Version) -> None:
    folder = bench.ws.adapter_folder(scorer.adapter)
    shutil.move(folder, folder.with_suffix(".away"))
    try:
        with pytest.raises(BadInput, match="the adapter of this version is missing"):
            dry_run(bench.ws, bench.recipe("grpo", reward_model=scorer.id))
    finally:
        shutil.move(folder.with_suffix(".away"), folder)


def test_a_start_on_another_base_is_refused(bench: Bench, trained: Version, tmp_path: Path) -> None:
    other = save_tiny(tmp_path / "other", seed=1)
    with pytest.raises(
        Refused, match=f"start: {trained.id} has base model .*tiny.*, but the recipe says model: {other}"
    ):
        bench.train("grpo", model=str(other), start=trained.id)


def test_a_version_is_named_as_the_start_not_as_the_model(bench: Bench, trained: Version) -> None:
    with pytest.raises(Refused, match=f"model: {trained.id} is a version. Write model: .* and start: {trained.id}"):
        bench.train("grpo", model=trained.id)


def test_an_adapter_keeps_its_targets(bench: Bench, trained: Version) -> None:
    with pytest.raises(
        Refused, match=r"has an adapter with r 2, alpha 32, top_layers all on down_proj, .*up_proj, v_proj"
    ):
        bench.train("grpo", start=trained.id, lora={"r": 2, "targets": ["q_proj"]})
    with pytest.raises(BadInput, match=r'the model has no layer "w1"'):
        bench.train("grpo", start=trained.id, lora={"r": 2, "targets": ["w1"]})


def test_an_adapter_keeps_its_shape(bench: Bench, trained: Version) -> None:
    before = {run.id for run in bench.ws.store.runs()}
    with pytest.raises(Refused, match="has an adapter with r 2, alpha 32"):
        bench.train("grpo", start=trained.id, lora={"r": 4})
    assert {run.id for run in bench.ws.store.runs()} == before, "the run was not begun"


def test_a_model_that_is_not_there_begins_no_run(fresh: Bench) -> None:
    with pytest.raises(VerigymError, match="nowhere"):
        fresh.train(model=str(fresh.place / "nowhere"))
    assert fresh.nothing_was_begun()


def test_the_same_run_is_not_made_twice_at_once(fresh: Bench) -> None:
    def meanwhile(step: int, metrics: dict[str, float], alarms: list[Alarm]) -> None:
        with pytest.raises(Refused, match="Another process"):
            Bench(fresh.place, fresh.model).train()

    fresh.train("grpo", meanwhile)


# -- what breaks on the way -----------------------------------------------------------------------------------------------


class Killed(Exception):
    pass


def killed_at(last: int) -> Any:
    def on_step(step: int, metrics: dict[str, float], alarms: list[Alarm]) -> None:
        if step == last:
            raise Killed

    return on_step


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint after every step."""
    monkeypatch.setattr(loop, "CHECKPOINT_S", 0.0)


def test_a_full_disk_keeps_the_last_checkpoint_and_the_same_call_goes_on(
    fresh: Bench, tmp_path: Path, often: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, _ = Bench(tmp_path / "whole", fresh.model).train("grpo", environment=fresh.desk, steps=4)
    sync, written = os.fsync, 0

    def full(file: int) -> None:
        nonlocal written
        if "/.step-" in os.readlink(f"/proc/self/fd/{file}"):
            written += 1
            if written == 3:
                raise OSError(errno.ENOSPC, "No space left on device")
        sync(file)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(InfrastructureFailure) as said:
            fresh.train("grpo", steps=4)
    for words in ("The checkpoint of step 3 could not be written", "No space left", "repeat the command to resume"):
        assert words in str(said.value)
    [run] = [run.id for run in fresh.ws.store.runs()]
    assert [path.name for path in fresh.ws.checkpoints(run).iterdir()] == ["step-000002.pt"]
    seen: list[int] = []
    version, _ = Bench(fresh.place, fresh.model).train("grpo", lambda step, *_: seen.append(step), steps=4)
    assert seen == [3, 4] and version.adapter == whole.adapter


def test_a_disk_that_takes_only_so_much_is_said_in_words_of_ours(tmp_path: Path) -> None:
    """Not in torch's, which has some of its own for it."""
    model = tiny().model
    lora.attach(model, lora.LoraConfig(r=8))
    optimizer = make_optimizer(model, 0.1)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(InfrastructureFailure, match="File too large"):
            save_checkpoint(tmp_path, model, optimizer, 1)
        with pytest.raises(InfrastructureFailure, match="the adapter could not be written"):
            lora_files.save(model, tmp_path / "adapter", "base")
        shutil.rmtree(tmp_path / "adapter")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("left", [0, 100, 0.5], ids=["empty", "its beginning", "half"])
def test_a_damaged_checkpoint_says_what_to_do_and_an_older_one_is_taken(
    fresh: Bench, tmp_path: Path, often: None, left: float
) -> None:
    whole, _ = Bench(tmp_path / "whole", fresh.model).train("grpo", environment=fresh.desk, steps=4)
    with pytest.raises(Killed):
        fresh.train("grpo", killed_at(3), steps=4)
    [run] = [run.id for run in fresh.ws.store.runs()]
    newest = fresh.ws.checkpoints(run) / "step-000002.pt"
    body = newest.read_bytes()
    cut = body[: int(left * len(body)) if isinstance(left, float) else left]

    newest.write_bytes(cut)
    with pytest.raises(BadInput, match=r"step-000002.pt: the checkpoint is damaged. Restore it, or remove it"):
        Bench(fresh.place, fresh.model).train("grpo", steps=4)

    newest.write_bytes(body)
    (newest.parent / "step-000003.pt").write_bytes(cut)  # and the one before it is whole
    seen: list[int] = []
    version, _ = Bench(fresh.place, fresh.model).train("grpo", lambda step, *_: seen.append(step), steps=4)
    assert seen == [3, 4] and version.adapter == whole.adapter


def test_a_resumed_run_stores_every_alarm_once(fresh: Bench, often: None) -> None:
    flat = fresh.file("flat.py", desk("return 0.5"))
    fields: Any = {"environment": flat, "steps": 9, "held_out_eval": None}
    with pytest.raises(Killed):
        fresh.train("grpo", killed_at(8), **fields)
    [alarm] = fresh.ws.store.documents("alarm", StoredAlarm)
    assert (alarm.step, alarm.kind, alarm.metric) == (8, "tasks too hard", "live_groups")
    assert alarm.words.startswith("0% of groups have signal") and "demonstrations first" in alarm.remedy

    later = msgspec.structs.replace(alarm, step=9, kind="gradient spikes")
    other = msgspec.structs.replace(alarm, run="grpo-other")
    fresh.ws.store.put_all("alarm", {one.id: one for one in (later, other)})
    seen: list[tuple[int, list[Alarm]]] = []
    Bench(fresh.place, fresh.model).train("grpo", lambda step, _, alarms: seen.append((step, alarms)), **fields)
    assert [step for step, _ in seen] == [8, 9], "two steps are repeated"
    assert fresh.ws.store.documents("alarm", StoredAlarm) == [other, alarm]
    fresh.ws.store.delete_run(alarm.run)
    assert fresh.ws.store.documents("alarm", StoredAlarm) == [other]


def test_without_its_checkpoint_a_run_begins_again_and_ends_the_same(fresh: Bench, tmp_path: Path, often: None) -> None:
    whole, _ = Bench(tmp_path / "whole", fresh.model).train("grpo", environment=fresh.desk, steps=3)
    with pytest.raises(Killed):
        fresh.train("grpo", killed_at(3), steps=3)
    shutil.rmtree(fresh.ws.home / "checkpoints")
    again, _ = Bench(fresh.place, fresh.model).train("grpo", steps=3)
    assert again.adapter == whole.adapter, "its episodes were found, and are those of the same weights"
