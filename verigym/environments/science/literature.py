"""What is written about a story: requests and abstracts, in one set of words to learn from and another one held out.

Of the seven abstracts of a task two contradict each other about the law (both are about other samples), one gives parameters of
this sample that no longer hold, one gives the instrument's factor and one an old factor, one is about another instrument, and one
about nothing that is needed.
"""

from typing import NamedTuple


class Words(NamedTuple):
    requests: list[str]
    claim: tuple[str, str]
    """Title and text of a paper that found this law for another sample."""
    doubt: tuple[str, str]
    """Of one that found the other law."""
    outdated: tuple[str, str]
    calibration: tuple[str, str]
    old_calibration: tuple[str, str]
    other_calibration: tuple[str, str]
    aside: tuple[str, str]


TRAIN = Words(
    [
        "{question}\nTwo laws are proposed:\n{laws}\nA run chooses the {setting} ({range}) and reads the {reading}{unit} "
        "with the {instrument}. Its readings are off by a constant factor, which the literature gives, and have a noise of "
        "{noise}. You have {budget} runs.\nReport the law, {a} and {b}, each with a plus_minus of at most {tolerance} of its "
        "value.",
        "{question} Budget: {budget} runs. In each you set the {setting} ({range}); the {instrument} then reads the "
        "{reading}{unit}, times a factor of its own (look it up), with a noise of {noise}.\nCandidates:\n{laws}\nWanted: the "
        "law, and {a} and {b} with an honest plus_minus that is no wider than {tolerance} of the value.",
        "For the {field} group: {question}\nWe argue about two laws:\n{laws}\nPlease settle it with no more than {budget} "
        "runs of the lab ({setting}, {range}). The {instrument} reads the {reading}{unit} with a noise of {noise}, and some "
        "factor too high or too low; somebody published which. Report {a} and {b} to within {tolerance}, plus_minus "
        "included, and the law.",
    ],
    (
        "The {reading} of {other} revisited",
        "We measured the {reading} of {other} over the whole range of {setting}. The readings follow {law}, with {a} "
        "{value_a} and {b} {value_b}. We see no reason why other samples should behave otherwise.",
    ),
    (
        "{other}: a case for {law}",
        "Earlier work favoured {rival}. Our runs with {other} speak for {law} instead ({a} {value_a}, {b} {value_b}), in "
        "particular at the ends of the range, where the two laws part.",
    ),
    (
        "{sample}: first figures",
        "For {sample} we find {a} {value_a} and {b} {value_b}, assuming {law}. The sample was prepared by the recipe of that "
        "year, which has been given up since.",
    ),
    (
        "{instrument}: calibration after the service of {year}",
        "Since its service in {year} the {instrument} reads {factor} times the true value, whatever the setting. Factors "
        "that were published before no longer hold.",
    ),
    (
        "{instrument}: a calibration",
        "The {instrument} was compared with a standard. It reads {factor} times the true value over its whole range.",
    ),
    (
        "{instrument}: calibration of a new type",
        "The {instrument} reads {factor} times the true value. The calibration holds for this type alone.",
    ),
    (
        "Noise in {field}: a short guide",
        "Repeating a run halves the variance of its mean. To tell two laws apart, measure where they differ most; to find a "
        "scale, where the reading is largest.",
    ),
)

VAL = Words(
    [
        "{question} It obeys one of these:\n{laws}\nYour {budget} measurements, the {setting} of each being "
        "yours to pick ({range}), "
        "come from the {instrument} as {reading}{unit}; random error {noise}, systematic error: one multiplier, on record. "
        "Hand in which it is, with {a} and {b}; error bars must hold and may reach {tolerance} of the figure.",
        "{question}\nHypotheses:\n{laws}\nInstrument: {instrument}, {reading}{unit}, scatter {noise}, multiplied by a gain "
        "that has been determined elsewhere. Control: {setting}, {range}. Spend {budget} measurements at most. Hand in the "
        "true hypothesis, {a} and {b}, error bars up to {tolerance} of each.",
    ],
    (
        "{law} observed in {other}",
        "{other} was studied at many values of {setting}. All data agree with {law}; best estimates are {a} {value_a}, {b} "
        "{value_b}.",
    ),
    (
        "Against {rival}: new data on {other}",
        "A re-analysis for {other} prefers {law}, {a} being {value_a} and {b} {value_b}. Whether that extends to further "
        "cases is open.",
    ),
    (
        "Preliminary note on {sample}",
        "{a} {value_a}, {b} {value_b}, taken from {law} with the supplier's former batch of {sample}; that batch is sold out.",
    ),
    (
        "Gain of the {instrument}, {year}",
        "A {year} comparison puts the gain (calibration factor) of the {instrument} at {factor}. It supersedes all former "
        "values, the sensor having been exchanged.",
    ),
    (
        "Gain of the {instrument}",
        "From twelve reference points the gain, or calibration factor, of the {instrument} comes to {factor}.",
    ),
    (
        "Gain of the {instrument}: first results",
        "A gain of {factor} is found for the {instrument}. Other devices need a calibration factor of their own.",
    ),
    (
        "How many points are enough in {field}?",
        "Spread measurements over the range and keep a few for where the candidates disagree. Three standard errors seldom "
        "mislead.",
    ),
)  # fmt: skip
