"""The methods of `verigym.Workspace` for labels, verifier cases and designed tasks."""

from pathlib import Path

import pytest

import verigym

SPEC = """
n: 4
columns:
  a: {kind: uniform, low: 1, high: 50, decimals: 0}
  family: {kind: category, values: [apples, pears]}
  prompt: "Somebody buys {{ a }} {{ family }} at the market every morning. How many is that in two days?"
  answer: {kind: expression, value: str(int(a) * 2)}
"""


def test_labels_and_cases_of_an_output(ws: verigym.Workspace, model: str, desk: str) -> None:
    run = ws.rollout(desk, model, n=2, k=2, max_tokens=8)
    first, second, other = ws.trajectories(run)[:3]
    assert ws.label(first, "good", who="ana", note="short").trajectory == first.id
    assert ws.label(first.id, "better", other=second).other == second.id
    for wrong in (lambda: ws.label(first, "better"), lambda: ws.label(first, "good", other=second)):
        with pytest.raises(verigym.VerigymError, match="is one of"):
            wrong()
    with pytest.raises(verigym.VerigymError, match="outputs of one task"):
        ws.label(first, "same", other=other)
    saved = ws.audit_case(desk, first, should="pass", note="it is fine", who="ana")
    assert (saved.case.should, saved.case.trajectory.id, saved.case.who, saved.new) == ("pass", first.id, "ana", True)
    assert not ws.audit_case(desk, first, should="pass", note="it is fine", who="ana").new


def test_tasks_are_designed_and_varied(ws: verigym.Workspace, tmp_path: Path) -> None:
    spec = tmp_path / "sums.yaml"
    spec.write_text(SPEC)
    made = ws.design_make(spec, n=3, out=tmp_path / "sums.jsonl")
    assert ws.stats(made.out).tasks == 3
    varied = ws.design_vary(str(made.out), kinds=["typo"], n=2, out=tmp_path / "varied.jsonl")
    assert len(varied.tasks) == 2 and varied.out.exists()
    preview = ws.design_vary(str(made.out), kinds=["typo"], n=1, out=tmp_path / "none.jsonl", preview=True)
    assert len(preview.tasks) == 1 and not preview.out.exists()
