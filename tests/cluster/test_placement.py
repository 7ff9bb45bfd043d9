"""What runs where, on paper, and what has no room."""

import pytest

from verigym.cluster.launch import chosen_by
from verigym.cluster.placement import Node, place, rank_gpus, table
from verigym.cluster.settings import ClusterSettings, Engines, Learners, Workers
from verigym.core.errors import BadInput

EIGHT = [Node(name="box", cpus=64, gpus=8, driver=True)]
TWO = [Node(name="a", cpus=16, gpus=4, driver=True), Node(name="b", cpus=16, gpus=4)]


def settings(engines: int = 0, learners: int = 1, workers: int = 0, gpus: float = 1) -> ClusterSettings:
    return ClusterSettings(
        engines=Engines(kind="local", count=engines, gpus=gpus) if engines else None,
        learners=Learners(count=learners),
        workers=Workers(count=workers),
    )


def by_node(wanted: ClusterSettings, nodes: list[Node]) -> dict[str, list[str]]:
    placed = place(wanted, nodes)
    return {node.name: sorted(one.role for one in placed if one.node == node.name) for node in nodes}


def test_eight_gpus_hold_six_engines_and_two_ranks():
    placed = place(settings(engines=6, learners=2, workers=4), EIGHT)
    assert [one.role for one in placed].count("rank 0 (the command)") == 1
    assert sum(one.gpus for one in placed) == 8
    assert "6 engines (1 GPUs, 1 CPU cores each)" in table(placed, EIGHT)[0]


def test_engines_spread_over_machines_and_rank_0_is_with_the_command():
    found = by_node(settings(engines=7), TWO)
    assert "rank 0 (the command)" in found["a"]
    assert len(found["a"]) == len(found["b"]) == 4


def test_without_a_spare_gpu_ranks_have_none():
    assert rank_gpus(settings(engines=8), EIGHT) == 0 and rank_gpus(settings(engines=7), EIGHT) == 1


@pytest.mark.parametrize(
    ("wanted", "nodes", "words"),
    [
        (settings(engines=9), EIGHT, "There is no room for engine 8: it needs 1 GPUs"),
        (settings(engines=1, gpus=5), TWO, "it needs 5 GPUs and 1 CPU cores of one machine"),
        (settings(engines=7, learners=2), TWO, "There is no room for rank 1"),
        (settings(engines=1, workers=99), TWO, "Lower workers.count, or add machines"),
        (
            ClusterSettings(engines=Engines(kind="local", gpus=0, cpus=999)),
            TWO,
            "Lower engines.cpus, or add larger machines",
        ),
        (ClusterSettings(engines=Engines(kind="local", gpus=99)), TWO, "Lower engines.gpus, or add larger machines"),
    ],
)
def test_what_has_no_room_is_refused_in_words(wanted: ClusterSettings, nodes: list[Node], words: str):
    with pytest.raises(BadInput) as error:
        place(wanted, nodes)
    assert words in str(error.value) and "The cluster has 8 GPUs" in str(error.value)


def test_auto_puts_engines_on_all_gpus_but_one():
    assert chosen_by([Node(name="laptop", cpus=8)], "") == ClusterSettings()
    assert chosen_by([Node(name="one", cpus=8, gpus=1)], "/opt/vllm/bin/python") == ClusterSettings()
    chosen = chosen_by(TWO, "")
    assert chosen.engines == Engines(kind="local", count=7, gpus=1)
    named = chosen_by(TWO, "/opt/vllm/bin/python").engines
    assert named is not None and (named.kind, named.python, named.count) == ("vllm", "/opt/vllm/bin/python", 7)
    assert len(place(chosen, TWO)) == 8
