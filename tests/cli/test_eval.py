"""eval, suites and compare as a user types them, around models behind a server. No torch."""

import pytest

from tests.cli import test_ring
from tests.cli.test_ring import Shell, version
from verigym.core.records import Version

server, shell = test_ring.server, test_ring.shell


def _measure(shell: Shell, server: str, model: str, *options: str) -> str:
    return shell("eval", "toolcall", "-m", f"{server}#{model}?tools=text", *options)


def test_eval_says_what_repeats_tokens_and_dollars_say_and_how_often_the_set_was_used(
    shell: Shell, server: str
) -> None:
    said = _measure(shell, server, "refuser", "-n", "30", "-k", "2", "--price", "0.1,0.4", "--by", "tag")
    for figure in ("pass@2", "pass^2", "tokens per success", "cost per success", "$0.000038"):
        assert figure in said
    assert "suite tool_call_eval, version 1, used: 1 version measured" in said
    table = said[said.index("tag ") :].splitlines()
    assert table[0].split() == ["tag", "success", "95%", "interval", "reward", "tasks", "families"]
    rates = [float(row.split("%")[0].split()[-1]) for row in table[1:] if "%" in row]
    assert rates == sorted(rates) and len(rates) > 3
    found = shell.json(
        "eval", "toolcall", "-m", f"{server}#refuser?tools=text", "-n", "30", "-k", "2", "--by", "family"
    )
    assert found["held_out"]["versions"] == [found["agent"]] and len(found["by"]) == 30
    assert found["results"][0]["tokens"] == 20


def test_eval_tells_new_wordings_from_new_values(shell: Shell, server: str) -> None:
    said = _measure(shell, server, "good", "-n", "30", "--by", "shift")
    table = said[said.index("\nshift ") :].splitlines()
    assert any(row.startswith("new wording, new values") for row in table)
    assert any(row.startswith("new wording, values of training") for row in table)
    assert "wording of training" not in said
    assert said.rstrip().count("compared with the training tasks of toolcall\n") == 1


def test_the_kind_of_shift_is_that_from_the_training_set_of_the_version() -> None:
    from verigym.cli.eval import trained_with
    from verigym.environments.load import load_environment

    spec, trained = load_environment("toolcall"), {"environment": "toolcall?train=shipped,grammar"}
    mixed = {"environments": {"structured": 1, "toolcall?train=grammar": 3}}
    assert trained_with(spec, Version(base="x", recipe=trained)).name == "toolcall?train=shipped,grammar"
    assert trained_with(spec, Version(base="x", recipe=mixed)).name == "toolcall?train=grammar"
    named = load_environment("toolcall?train=grammar")
    for recipe in ({}, {"environment": "toolcall"}, {"environment": "workplace?train=composed"}, {"algorithm": "sft"}):
        assert trained_with(spec, Version(base="x", recipe=recipe)) is spec
    assert trained_with(named, Version(base="x", recipe=trained)) is named, "what you name counts"


def test_what_tasks_do_not_say_is_refused_after_the_figures_were_shown(shell: Shell, server: str) -> None:
    with pytest.raises(Exception, match="Set it: Task"):
        _measure(shell, server, "bad", "-n", "5", "--by", "difficulty")
    with pytest.raises(Exception, match=r'There is no value of --by "familiy"\. Did you mean "family"'):
        _measure(shell, server, "bad", "-n", "5", "--by", "familiy")


def test_parts_of_a_set_are_sets_of_their_own_and_share_no_family(shell: Shell, server: str) -> None:
    for part in ("1/2", "2/2"):
        assert f"tool_call_eval {part}, version 1, used: 1 version measured\n" in _measure(
            shell, server, "good", "--part", part
        )
    one, two = (found["suite"] for found in shell.json("suites"))
    assert (one["name"], two["name"]) == ("tool_call_eval 1/2", "tool_call_eval 2/2")
    assert not set(one["families"]) & set(two["families"])
    with pytest.raises(Exception, match=r'Part "3/2" is invalid\. Write I/N'):
        _measure(shell, server, "good", "--part", "3/2")


def test_a_set_that_judged_many_versions_is_said_to_flatter_the_best(shell: Shell, server: str) -> None:
    for number in range(10):
        assert "warning" not in _measure(shell, server, f"refuser {number}", "-n", "8")
    said = " ".join(_measure(shell, server, "refuser 10", "-n", "8").split())
    assert "warning: 11 versions were measured on these families" in said and "--part" in said
    assert "warning" in _measure(shell, server, "refuser 10", "-n", "9"), "another set, and the same families"
    listed = shell("suites", "list")
    assert [row.split()[:2] for row in listed.splitlines()[1:3]] == [["tool_call_eval", "1"], ["tool_call_eval", "2"]]
    shown = shell("suites", "show", "tool_call_eval@1")
    assert "used: 11 versions measured" in shown and "warning: 11 versions" in shown
    assert shell.json("suites", "show", "tool_call_eval")["version"] == 2


def test_suites_without_any_and_by_a_wrong_name_say_what_to_do(shell: Shell) -> None:
    assert "no evaluations yet" in shell("suites") and shell.json("suites") == []
    with pytest.raises(Exception, match="No suite exists yet"):
        shell("suites", "show", "x")


def test_compare_names_its_tests_and_shows_both_conversations(shell: Shell, server: str) -> None:
    for model in ("refuser", "good"):
        _measure(shell, server, model, "-n", "60", "--price", "1,1")
    before, after = version(shell, "refuser"), version(shell, "good")
    with pytest.raises(Exception, match="are the same version"):
        shell("compare", before, before)
    said = shell("compare", before, after, "--flips", "1")
    for words in (
        "(clustered t, 59 degrees of freedom)",
        "by sign-flip permutation over families",
        "by McNemar's exact test",
        "tokens (geometric mean)",
        "cost per success",
        "wrong tool",
    ):
        assert words in " ".join(said.split())
    assert "families changed beyond chance" not in said, "one task of a family cannot show a change of it"
    assert "the gate uses this bound" not in said
    lines = said.splitlines()
    place = next(i for i, line in enumerate(lines) if line.startswith("gained: "))
    assert [line.split()[0] for line in lines[place + 1 : place + 4]] == ["prompt", "before", "after"]
    assert "refuse" in lines[place + 2] and "refuse" not in lines[place + 3]

    task = lines[place].removeprefix("gained: ")
    shown = shell("compare", before, after, "--show", task)
    assert shown.index("---- before: ") < shown.index("[call refuse]") < shown.index("---- after: ")
    assert shown.count("verdict by tool_call_verifier@") == 2
    found = shell.json("compare", before, after)
    assert found["changes"]["ratios"]["tokens"]["value"] == pytest.approx(1)
    assert {one["q"] for one in found["changes"]["families"]} <= {1.0}, "one task a family shows nothing about it"
    both = shell.json("compare", before, after, "--show", task)
    assert both["before"]["trajectory"]["task"] == both["after"]["trajectory"]["task"] == task


def test_a_task_that_is_not_in_the_comparison_is_answered_with_those_near_it(shell: Shell, server: str) -> None:
    for model in ("bad", "good"):
        _measure(shell, server, model, "-n", "5")
    with pytest.raises(
        Exception, match=r'There is no task "toolcall/vla/0001" in suite tool_call_eval\. Similar: toolcall/val/'
    ):
        shell("compare", version(shell, "bad"), version(shell, "good"), "--show", "toolcall/vla/0001")
