"""Wordings of the requests and abstracts, one set per split.

A task has seven abstracts. Two contradict each other about the law, both for other samples. One gives outdated parameters of
this sample. One gives the instrument's factor, and one gives an old factor. One is about another instrument, and one is
irrelevant. Each has several wordings.
"""

from typing import NamedTuple

Texts = list[tuple[str, str]]
"""Titles and texts, from which one pair is drawn."""


class Words(NamedTuple):
    requests: list[str]
    claim: Texts
    """Reports this law for another sample and does not name the rival."""
    doubt: Texts
    """Reports a rival law."""
    outdated: Texts
    calibration: Texts
    """Replaces the old factor and states that it does."""
    old_calibration: Texts
    other_calibration: Texts
    aside: Texts


TRAIN = Words(
    [
        "{question}\n{Number} laws are proposed:\n{laws}\nA run chooses the {setting} ({range}) and reads the "
        "{reading}{unit} with the {instrument}. Its readings are off by a constant factor, which the literature "
        "gives, and have a noise of {noise}. You have {budget} runs.\nReport the law, {a} and {b}, each with a "
        "plus_minus of at most {percent}% of its value.",
        "{question} Budget: {budget} runs. In each you set the {setting} ({range}); the {instrument} then reads the "
        "{reading}{unit}, times a factor of its own (look it up), with a noise of "
        "{noise}.\nCandidates:\n{laws}\nWanted: the law, and {a} and {b} with an honest plus_minus that is no wider "
        "than {percent}% of the value.",
        "For the {field} group: {question}\nWe argue about {number} laws:\n{laws}\nPlease settle it with no more "
        "than {budget} runs of the lab ({setting}, {range}). The {instrument} reads the {reading}{unit} with a noise "
        "of {noise}, and some factor too high or too low; somebody published which. Report {a} and {b} to within "
        "{percent}%, plus_minus included, and the law.",
        "Lab order\nTopic: {question}\nSetting: {setting}, {range}\nReading: {reading}{unit}, noise {noise}\nDevice: "
        "{instrument}; its factor is in the literature\nRuns: {budget}\nLaws:\n{laws}\nResult: law, {a}, {b}; "
        "plus_minus not above {percent}% of the value",
        "{question} We hold {total} tokens for the {instrument}, and a run takes {each} of them; nobody may go "
        "beyond that. You choose the {setting} ({range}) and are shown the {reading}{unit}, noise {noise}, too large "
        "or too small by a factor that is the same everywhere and was published.\n{laws}\nOne of them is right. Tell "
        "us which, and {a} and {b}, by a report whose plus_minus stays within {percent}%.",
        "Hello, could you look into this for us? {question} It must be one of\n{laws}\nbut we cannot agree. For "
        "whatever {setting} you choose ({range}) the {instrument} shows the {reading}{unit}, with a noise of {noise} "
        "and multiplied by some number. There should be a paper on that. We can pay for {budget} runs. What we need "
        "in the end: {a} and {b}, no more than {percent}% uncertain, and of course the law. Thank you!",
        "Report {a}, {b} and the law that they belong to, with a plus_minus within {percent}% of each value, after "
        "{budget} runs or fewer. The matter is this. {question}\n{laws}\nTo be set: the {setting}, {range}. Read off "
        "in return: the {reading}{unit} on the {instrument}, which is the true value times a published factor, noise "
        "{noise}.",
        "A run costs {each} coins, and the purse has {total}; do not overdraw it. {question} We set the {setting} "
        "({range}) and the {instrument} reads the {reading}{unit}. Mind its factor, which has been published, and "
        "its noise, {noise}.\nTo choose from:\n{laws}\nPlease report the law with {a} and {b}; each plus_minus up to "
        "{percent}%.",
        "{question} The law, please, and {a} and {b} to {percent}%. {budget} runs; {setting} {range}; "
        "{reading}{unit} by the {instrument}, noise {noise}, factor as published.\n{laws}",
        "A colleague has left us these {number} lines and no result:\n{laws}\nHer notebook says: {question} There "
        "are {budget} runs left in her account. A run needs the {setting}, anything from {range}, and writes down "
        "the {reading}{unit}. The noise of the {instrument} is {noise}; it also has a factor, for which she always "
        "went to the library. Finish her work: a report of the law, of {a} and of {b}, with a plus_minus no larger "
        "than {percent}% of either.",
    ],
    [
        (
            "Runs on {other}, revisited",
            "We measured {other} over the whole range of {setting}. The readings follow {law}, with {a} {value_a} "
            "and {b} {value_b}. We see no reason why others should behave otherwise.",
        ),
        (
            "A study of {other}",
            "Forty runs and one result: {law} ({a} {value_a}, {b} {value_b}). We expect the same of all that "
            "resembles {other}.",
        ),
        (
            "Why it must be {law}",
            "For {other} theory asks for {law}, and we find it, with {a} {value_a} and {b} {value_b}. Theory makes "
            "no exceptions.",
        ),
        (
            "Notes from the bench: {other}",
            "It is {law}, we think; {a} {value_a} and {b} {value_b} describe {other} well.",
        ),
        (
            "All in a single picture",
            "One picture shows {other} from end to end, and {law} drawn through it ({a} {value_a}, {b} {value_b}). "
            "Look at it and be convinced.",
        ),
    ],
    [
        (
            "A case for {law}",
            "Earlier work favoured {rival}. Our runs with {other} speak for {law} instead ({a} {value_a}, {b} "
            "{value_b}), in particular at the ends of the range.",
        ),
        (
            "A second look at {other}",
            "Is it {rival}, as some say? Not with {other}: we get {a} {value_a} and {b} {value_b} by {law}, and "
            "nothing is left over.",
        ),
        (
            "Reply to the friends of {rival}",
            "They stopped too early. Over the full range it is {law} for {other}; {a} is {value_a} and {b} is "
            "{value_b}.",
        ),
        (
            "New runs on {other}",
            "The debate is not over. We cannot confirm {rival}: for {other} it is {law}, {a} {value_a}, {b} {value_b}.",
        ),
        (
            "Everybody is wrong about {other}",
            "Everybody says {rival}. We repeated the runs with more patience and saw {law} with {a} {value_a} and "
            "{b} {value_b}.",
        ),
    ],
    [
        (
            "First figures for {it}",
            "For {it} we find {a} {value_a} and {b} {value_b}, assuming {law}. Note of the "
            "library: the method has been given up since.",
        ),
        (
            "{It}, a page from the yearbook of {year}",
            "With {law}, which nobody here puts in question: {a} {value_a}, {b} {value_b}. Note of the library: much "
            "has changed since.",
        ),
        (
            "Rough numbers for {it}",
            "From three runs, no calibration: {a} {value_a}, {b} {value_b} if {law} holds. To be repeated.",
        ),
        (
            "An early attempt at {it}",
            "We took {law} for granted and got {a} {value_a} and {b} {value_b}. May others do better.",
        ),
    ],
    [
        (
            "Calibration of the {instrument} after the service of {year}",
            "Since its service in {year} the {instrument} reads {factor} times the true value, whatever the setting. "
            "Factors that were published before no longer hold.",
        ),
        (
            "Erratum: calibration of the {instrument}",
            "The factor {old}, given in {old_year}, was a misprint. The {instrument} reads {factor} times the true "
            "value.",
        ),
        (
            "The {instrument} compared anew",
            "The {instrument} shows {factor} where the truth is 1. In {old_year} it was {old}, but it has been "
            "rebuilt.",
        ),
        (
            "Check of the {instrument}, {year}",
            "From this year on the {instrument} reads too {side} by {off}% of the true value. This replaces every "
            "earlier factor.",
        ),
        (
            "On the {instrument}: our value of {old_year} is withdrawn",
            "A bad standard spoilt our factor ({old}). With a good one we get {factor} times the true value.",
        ),
    ],
    [
        (
            "A calibration of the {instrument}",
            "The {instrument} was compared with a standard. It reads {factor} times the true value over its whole "
            "range.",
        ),
        (
            "How true is the {instrument}?",
            "We checked it at ten points: it shows {factor} where the truth is 1.",
        ),
        (
            "The {instrument} in daily use",
            "We divide all that it says by its factor, {factor}, and have never had a complaint.",
        ),
        (
            "Factor of the {instrument}, as delivered",
            "By the maker's own calibration the {instrument} reads {factor} times the true value.",
        ),
    ],
    [
        (
            "Calibration of a new type: {instrument}",
            "The {instrument} reads {factor} times the true value. The calibration holds for this type alone.",
        ),
        (
            "The {instrument} after its repair",
            "Repaired in {year}, it shows {factor} where the truth is 1. Other devices are not touched by this.",
        ),
        (
            "A factor for the {instrument}",
            "By comparison with two standards the {instrument} reads {factor} times the true value.",
        ),
        (
            "Is the {instrument} worth its price?",
            "It is steady but not true: its calibration factor is {factor}.",
        ),
    ],
    [
        (
            "Noise in {field}: a short guide",
            "To tell two laws apart, measure where they differ most; to find a scale, where the reading is largest.",
        ),
        (
            "What an error bar promises",
            "One standard error misses the truth in a third of all cases, three of them hardly ever.",
        ),
        (
            "A good fit is no proof",
            "Three points are easily pleased, ten are not. Fit the rival as well.",
        ),
        (
            "Forty years of {field}",
            "Memories of a laboratory, with a list of those who swept its floor.",
        ),
        (
            "Factors, and how they age",
            "A calibration factor holds until the next service. Who trusts an old one is off by as much as it has "
            "changed.",
        ),
    ],
)

VAL = Words(
    [
        "{question} One of these holds:\n{laws}\nYour {budget} measurements, the {setting} of each being yours to "
        "pick ({range}), come from the {instrument} as {reading}{unit}; random error {noise}, systematic error: one "
        "multiplier, on record. Hand in which it is, with {a} and {b}; error bars must hold and may reach {percent}% "
        "of the figure.",
        "{question}\nHypotheses:\n{laws}\nInstrument: {instrument}, {reading}{unit}, scatter {noise}, multiplied by "
        "a gain that has been determined elsewhere. Control: {setting}, {range}. Spend {budget} measurements at "
        "most. Hand in the true hypothesis, {a} and {b}, error bars up to {percent}% of each.",
        "Assignment: {question} Vary {setting} ({range}) and have {reading}{unit} measured by the {instrument}, "
        "whose scatter amounts to {noise} and whose gain others determined. Candidate models:\n{laws}\nAllowance: "
        "{budget} measurements. Submit the model's name plus {a}, {b} and error bars, none beyond {percent}%.",
        "{question} Funds: {total} thalers; every measurement consumes {each} thalers, and debts are out of the "
        "question.\nModels under discussion:\n{laws}\nFree variable: {setting}, {range}. Observable: "
        "{reading}{unit}, seen through the {instrument} (gain on record, scatter {noise}). Deliver model, {a}, {b}; "
        "error bars of {percent}% or better.",
        "{Number} models compete:\n{laws}\nBackground: {question} Decide, using at most {budget} measurements. Each "
        "one fixes {setting} somewhere within {range} and yields {reading}{unit}; the {instrument} contributes "
        "scatter of {noise} besides an unknown gain, unless you consult earlier publications. Submit {a} and {b} "
        "too, both known to {percent}% and honestly so.",
        "Deliverables: one model, {a}, {b}, two error bars (limit {percent}%). Resources: {budget} measurements of "
        "{reading}{unit}, scatter {noise}, by the {instrument}, gain documented. Knob: {setting}, "
        "{range}.\n{question}\n{laws}",
    ],
    [
        (
            "Evidence for {law}",
            "We studied {other} at many values of {setting}. All data agree with {law}; best estimates are {a} "
            "{value_a}, {b} {value_b}.",
        ),
        (
            "Modelling {other}",
            "Among simple models {law} wins: {a} = {value_a}, {b} = {value_b}. Generality is assumed.",
        ),
        (
            "Thesis abstract, concerning {other}",
            "Three winters of data yield {law}, {a} = {value_a} and {b} = {value_b}.",
        ),
        (
            "Universal behaviour?",
            "Data on {other} collapse onto {law} once {a} = {value_a} and {b} = {value_b} are inserted.",
        ),
    ],
    [
        (
            "Against {rival}: new data on {other}",
            "A re-analysis for {other} prefers {law}, {a} being {value_a} and {b} {value_b}. Whether that extends to "
            "further cases is open.",
        ),
        (
            "Limits of {rival}",
            "Textbooks teach {rival}; our data on {other} disagree. Estimates under {law}: {a} = {value_a}, {b} = "
            "{value_b}.",
        ),
        (
            "Comment on recent claims",
            "Claims of {rival} rest upon poor statistics. Better data on {other} support {law} ({a} = {value_a}, {b} "
            "= {value_b}).",
        ),
    ],
    [
        (
            "Preliminary note on {it}",
            "Estimates: {a} {value_a}, {b} {value_b}, taken from {law}. Archivist's remark: conditions then differed from "
            "those today.",
        ),
        (
            "Archive: {it}, {year}",
            "Digitised notebook page. Model {law}; {a} = {value_a}, {b} = {value_b}; instrument not stated.",
        ),
        (
            "Pilot data, {it}",
            "Five measurements, gain ignored, {law} presumed: {a} = {value_a}, {b} = {value_b}.",
        ),
    ],
    [
        (
            "Gain of the {instrument}, {year}",
            "A {year} comparison puts the gain (calibration factor) of the {instrument} at {factor}. It supersedes "
            "all former values, the sensor having been exchanged.",
        ),
        (
            "Corrigendum concerning the {instrument}",
            "Owing to an arithmetic slip we printed a gain of {old} in {old_year}. Correct is {factor}.",
        ),
        (
            "Recalibrated: the {instrument}",
            "Following modification, displayed values equal {factor} times actual ones. Discard the gain of {old} "
            "dating from {old_year}.",
        ),
        (
            "Audit {year}, {instrument}",
            "Finding: displays deviate from actual values by {signed}%. Valid henceforth, superseding whatever was "
            "certified previously.",
        ),
    ],
    [
        (
            "Gain of the {instrument}",
            "From twelve reference points the gain, or calibration factor, of the {instrument} comes to {factor}.",
        ),
        (
            "Certificate, {instrument}",
            "Displayed values equal {factor} times actual ones at every reference point.",
        ),
        (
            "Commissioning the {instrument}",
            "Acceptance tests gave a gain of {factor}, stable for a month.",
        ),
    ],
    [
        (
            "Gain of the {instrument}: first results",
            "A gain of {factor} is found for the {instrument}. Other devices need a calibration factor of their own.",
        ),
        (
            "Buyer's report, {instrument}",
            "Sturdy, cheap, and wrong by a gain of {factor} on our bench.",
        ),
        (
            "Certificate {year}, {instrument}",
            "Gain {factor}, determined against a travelling reference.",
        ),
    ],
    [
        (
            "How many points are enough in {field}?",
            "Spread measurements over the range and keep a few for where the candidates disagree. Three standard "
            "errors seldom mislead.",
        ),
        (
            "Careers in {field}",
            "Interviews with nine graduates, none of whom regrets anything.",
        ),
        (
            "Gains drift",
            "Recalibration after modification is indispensable: gains may halve or double.",
        ),
    ],
)
