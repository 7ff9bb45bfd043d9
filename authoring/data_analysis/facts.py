"""Accessors that several training questions use."""

from authoring.data_analysis.asked import Fact, Redraw


def amount_of(fact: Fact) -> int:
    return fact.m


def count_of(fact: Fact) -> int:
    return fact.n


def not_empty(facts: list[Fact]) -> list[Fact]:
    if not facts:
        raise Redraw
    return facts
