"""The gate's first question: is every family of its suites new to both versions? If not, it refuses, because no figure would mean
anything."""

from collections.abc import Sequence

from verigym.core.errors import Refused
from verigym.core.records import Check, Suite, Version
from verigym.core.words import counted


def held_out(candidate: Version, champion: Version, suites: Sequence[Suite], unknown: Sequence[str] = ()) -> Check:
    """Refuses, rather than fails, a version that was trained on a family of a suite: no figure of it means anything. `unknown`
    says which training data nobody can compare. Then the check is skipped, with that reason."""
    for suite in suites:
        for version in (candidate, champion):
            seen = sorted(set(version.families) & set(suite.families))
            if seen:
                raise Refused(
                    f"Version {version.id} was trained on {len(seen)} of the {len(suite.families)} families of suite "
                    f'"{suite.name}" ({", ".join(seen[:3])}{", ..." if len(seen) > 3 else ""}). Gate it on a suite it never saw'
                )
        if chosen := set(candidate.chosen_on) & set(suite.families):
            raise Refused(
                f'{counted(len(chosen), "family")} of suite "{suite.name}" chose version {candidate.id} among the checkpoints of '
                "its training run, so they look too good. Gate it on other families"
            )
    families = ", ".join(f"{len(suite.families)} families of {suite.name}" for suite in suites)
    if unknown:
        return Check(
            name="never trained on these tasks",
            outcome="skipped",
            words=f"training data unknown: {'. '.join(unknown)}. It may contain the held-out tasks, and then the figures are too "
            "good",
        )
    return Check(
        name="never trained on these tasks",
        outcome="pass",
        words=f"neither version was trained on any of the {families}"
        + (
            f". {counted(len(candidate.chosen_on), 'family')} on which the candidate was chosen among checkpoints are left out"
            if candidate.chosen_on
            else ""
        ),
    )
