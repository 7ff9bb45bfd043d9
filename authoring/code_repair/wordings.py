"""Wordings of repair requests: with a user's report, because tests fail, or for two bugs. The splits share no wording."""

WORDINGS = {
    "train": {
        "report": [
            'A user of {name} writes: "{report}" Tests fail as well. Find the fault and mend it.',
            "{report} Can you see to it? The repository is {name}; some tests have turned red too.",
            "Bug in {name}. {report} Fix the code so that the tests go green.",
            "We use {name} every day. {about} Now something is off, and this came in by mail: "
            '"{report}" Would you find the cause and correct it?',
            "Support ticket for {name}: {report} Reproduce it with the tests, then repair the module that is to blame.",
            'one of our users said this about {name}: "{report}" pls fix, the tests show it',
        ],
        "tests": [
            "In the repository {name} tests fail. {about} Make them pass by mending the code.",
            "Tests of {name} are red. Make them green, and leave the tests themselves alone.",
            "{about} That is {name}, and its tests do not pass any more. Look for the fault in the modules and correct it.",
            "No user has complained yet, but the nightly run of {name} failed. Run the tests, work out which module is "
            "wrong, and put it right.",
            "fix {name} pls, something fails since the last commit",
            "I changed a line in {name} before the weekend and cannot remember which. The tests know. Undo the damage.",
        ],
        "two": [
            'There are two faults in {name}. One was reported: "{report}" The tests show both. Mend them.',
            "{report} That is one of two things wrong with {name}; the other one shows in the tests only. Both have to go.",
            'Two modules of {name} are broken. About the first a user says: "{report}" For the second look at what '
            "else fails.",
            "After a merge {name} has bugs, two as far as I know. Known so far: {report} Get all tests to pass.",
            'Please repair {name}. {about} We have a complaint: "{report}" A second fault sits in another module, and '
            "nobody has described it.",
            "two bugs in {name}. first: {report} second: run the tests and see",
        ],
    },
    "val": {
        "report": [
            "Please have a look at {name}. We got this complaint: {report} The fault is in the code; the tests are right.",
            "{report} Seen in {name}, today. Needs repairing.",
            "Somebody phoned regarding {name}. {about} Their words: {report} Kindly sort this out; a test suite comes along.",
            "{name} misbehaves, says a customer: {report} Track it down, please, and correct whatever causes it.",
        ],
        "tests": [
            "Somebody broke {name}. {about} Its tests tell you what is wrong; repair it.",
            "Our build of {name} stopped because its suite fails. Correct whatever is responsible, not the suite.",
            "{name} used to work. {about} Nowadays part of its suite fails: please investigate, then repair.",
            "suite failing for {name}, repair code, keep tests",
        ],
        "two": [
            "{name} was broken in two places. The complaint so far: {report} Repair all of it, so that the tests pass.",
            "Expect a pair of bugs in {name}. Customers mention just one: {report} Its companion only surfaces when you "
            "run everything.",
            "{report} So much for what people noticed in {name}; beyond that, a different module is damaged as well. Put "
            "everything in order.",
            "Double trouble at {name}. {about} Told to us: {report} Not told to us: whatever else its suite reveals.",
        ],
    },
}
