"""Questions of `retention` with a number as the answer. Each entry is a family."""

from authoring.retention.families import NAMES, Family
from authoring.retention.questions import number

ARITHMETIC: dict[str, Family] = {
    # plain calculations
    "add_hundreds": number(lambda a, b: (f"What is {a}00 plus {b}00?", 100 * (a + b)), a=range(1, 6), b=range(1, 5)),
    "add_thousands": number(lambda a, b: (f"{a}000 + {b}000 =", 1000 * (a + b)), a=range(1, 6), b=range(1, 5)),
    "add_four_numbers": number(
        lambda a, b, c, d: (f"Add up: {a}, {b}, {c}, {d}", a + b + c + d),
        a=range(1, 4),
        b=range(1, 4),
        c=range(1, 4),
        d=range(1, 4),
    ),
    "add_two_digits": number(lambda a, b: (f"Work out {a} + {b}.", a + b), a=range(21, 50), b=range(11, 40)),
    "add_no_carry": number(
        lambda a, b: (f"What is the sum of {a} and {b}?", a + b), a=range(10, 80, 10), b=range(1, 10)
    ),
    "take_one": number(lambda a: (f"What is {a} minus 1?", a - 1), a=range(12, 90)),
    "take_ten": number(lambda a: (f"Take 10 away from {a}.", a - 10), a=range(25, 99)),
    "take_tens": number(lambda a, b: (f"{a}0 - {b}0 =", 10 * (a - b)), a=range(6, 10), b=range(1, 5)),
    "take_from_ten": number(lambda a: (f"Subtract {a} from 10.", 10 - a), a=range(1, 10)),
    "take_from_hundred": number(lambda a: (f"What is 100 minus {a}?", 100 - a), a=range(10, 95, 5)),
    "missing_to_ten": number(lambda a: (f"{a} + ? = 10. Which number is missing?", 10 - a), a=range(1, 10)),
    "missing_factor": number(
        lambda a, b: (f"{a} x ? = {a * b}. Which number is missing?", b), a=range(2, 6), b=range(2, 8)
    ),
    "missing_start": number(
        lambda a, b: (f"? + {a} = {a + b}. What is the missing number?", b), a=range(2, 9), b=range(2, 9)
    ),
    "times_two": number(lambda a: (f"2 x {a} =", 2 * a), a=range(3, 20)),
    "times_three": number(lambda a: (f"3 times {a} makes what?", 3 * a), a=range(2, 12)),
    "times_five": number(lambda a: (f"What do you get if you multiply {a} by 5?", 5 * a), a=range(2, 13)),
    "times_hundred": number(lambda a: (f"Multiply {a} by 100.", 100 * a), a=range(2, 30)),
    "times_nine": number(lambda a: (f"9 * {a} =", 9 * a), a=range(2, 10)),
    "product_of_three": number(
        lambda a, b, c: (f"Multiply these three numbers: {a}, {b}, {c}", a * b * c),
        a=range(2, 4),
        b=range(2, 4),
        c=range(2, 6),
    ),
    "divide_by_two": number(lambda a: (f"{2 * a} ÷ 2 =", a), a=range(3, 30)),
    "divide_by_ten": number(lambda a: (f"Divide {10 * a} by 10.", a), a=range(3, 40)),
    "divide_evenly": number(lambda a, b: (f"What is {a * b} divided by {b}?", a), a=range(2, 10), b=range(3, 7)),
    "third_of": number(lambda a: (f"What is one third of {3 * a}?", a), a=range(2, 12)),
    "quarter_of": number(lambda a: (f"Give a quarter of {4 * a}.", a), a=range(2, 12)),
    "tenth_of": number(lambda a: (f"How much is one tenth of {10 * a}?", a), a=range(2, 20)),
    "triple": number(lambda a: (f"Triple the number {a}.", 3 * a), a=range(2, 14)),
    "square": number(lambda a: (f"What is {a} squared?", a * a), a=range(2, 13)),
    "square_root": number(lambda a: (f"What is the square root of {a * a}?", a), a=range(2, 11)),
    "remainder": number(
        lambda a, b, c: (f"What is the remainder when {a * b + c} is divided by {b}?", c),
        a=range(2, 5),
        b=range(4, 8),
        c=range(1, 4),
    ),
    "half_of_hundreds": number(lambda a: (f"What is half of {2 * a}00?", 100 * a), a=range(1, 6)),
    "percent_ten": number(lambda a: (f"What is 10 percent of {10 * a}?", a), a=range(2, 40)),
    "percent_fifty": number(lambda a: (f"How much is 50% of {2 * a}?", a), a=range(3, 40)),
    "mean_of_two": number(
        lambda a, b: (f"What is the average of {a} and {a + 2 * b}?", a + b), a=range(2, 12), b=range(1, 5)
    ),
    "add_then_take": number(
        lambda a, b, c: (f"{a} + {b} - {c} =", a + b - c), a=range(5, 10), b=range(3, 8), c=range(1, 5)
    ),
    "multiply_then_add": number(
        lambda a, b, c: (f"{a} x {b} + {c} =", a * b + c), a=range(2, 6), b=range(2, 6), c=range(1, 6)
    ),
    "brackets_first": number(
        lambda a, b, c: (f"({a} + {b}) x {c} =", (a + b) * c), a=range(1, 5), b=range(1, 5), c=range(2, 5)
    ),
    "add_zero": number(lambda a: (f"{a} + {a} + 0 =", 2 * a), a=range(4, 30)),
    "times_one": number(lambda a, b: (f"{a} x 1 + {b} =", a + b), a=range(2, 20), b=range(2, 10)),
    # sequences
    "count_by_two": number(
        lambda a: (f"Continue the row with one number: {a}, {a + 2}, {a + 4}, {a + 6}, ...", a + 8), a=range(2, 40)
    ),
    "count_by_five": number(
        lambda a: (f"What comes next? {5 * a}, {5 * a + 5}, {5 * a + 10}, {5 * a + 15}", 5 * a + 20), a=range(1, 14)
    ),
    "count_by_ten": number(
        lambda a: (f"Which number follows? {a}, {a + 10}, {a + 20}, {a + 30}", a + 40), a=range(3, 40)
    ),
    "count_down": number(lambda a: (f"Count down: {a}, {a - 1}, {a - 2}, then?", a - 3), a=range(12, 60)),
    "doubling_row": number(
        lambda a: (f"Each number is twice the one before: {a}, {2 * a}, {4 * a}, ?", 8 * a), a=range(1, 9)
    ),
    "hundreds_row": number(
        lambda a: (f"Go on: {a}00, {a + 1}00, {a + 2}00, what is next?", 100 * (a + 3)), a=range(1, 7)
    ),
    "number_before": number(lambda a: (f"Which number comes just before {a}?", a - 1), a=range(10, 90)),
    "number_between": number(lambda a: (f"Which whole number lies between {a} and {a + 2}?", a + 1), a=range(5, 70)),
    "next_ten": number(
        lambda a, b: (f"What is the next multiple of 10 after {10 * a + b}?", 10 * a + 10), a=range(1, 9), b=range(1, 9)
    ),
    "next_even": number(lambda a: (f"Which even number comes right after {2 * a}?", 2 * a + 2), a=range(5, 45)),
    "next_odd": number(lambda a: (f"{2 * a + 1} is odd. What is the next odd number?", 2 * a + 3), a=range(5, 45)),
    "page_after": number(
        lambda a: (f"I have read up to page {a}. Which page do I read next?", a + 1), a=range(14, 190)
    ),
    # words for numbers
    "dozen": number(lambda a: (f"A dozen is 12. How many are {a} dozen?", 12 * a), a=range(2, 7)),
    "pairs": number(lambda a: (f"How many shoes are in {a} pairs?", 2 * a), a=range(3, 20)),
    "weeks_to_days": number(lambda a: (f"A week has 7 days. How many days have {a} weeks?", 7 * a), a=range(2, 9)),
    "years_to_months": number(
        lambda a: (f"A year has 12 months. How many months are {a} years?", 12 * a), a=range(2, 7)
    ),
    "hours_to_minutes": number(
        lambda a: (f"One hour is 60 minutes. How many minutes are {a} hours?", 60 * a), a=range(2, 8)
    ),
    "metres_to_cm": number(
        lambda a: (f"One metre is 100 centimetres. How many centimetres are {a} metres?", 100 * a), a=range(2, 20)
    ),
    "kilos_to_grams": number(lambda a: (f"1 kg is 1000 g. How many grams are {a} kg?", 1000 * a), a=range(2, 15)),
    "euros_to_cents": number(
        lambda a: (f"One euro is 100 cents. How many cents are {a} euros?", 100 * a), a=range(2, 30)
    ),
    "decades": number(lambda a: (f"A decade is ten years. How many years are {a} decades?", 10 * a), a=range(2, 9)),
    # stories
    "apples_eaten": number(
        lambda n, a, b: (f"{n} had {a} apples and ate {b}. How many apples are left?", a - b),
        n=NAMES,
        a=range(8, 15),
        b=range(1, 4),
    ),
    "birds_fly_off": number(
        lambda a, b: (f"{a} birds sit on a wire. {b} fly away. How many birds stay?", a - b),
        a=range(9, 16),
        b=range(2, 5),
    ),
    "bus_stop": number(
        lambda a, b: (f"A bus carries {a} people. {b} more get on. How many people are on the bus?", a + b),
        a=range(10, 30),
        b=range(2, 9),
    ),
    "bus_leave": number(
        lambda a, b: (f"There are {a} people on the tram and {b} get off. How many remain?", a - b),
        a=range(14, 30),
        b=range(2, 6),
    ),
    "lift_up": number(
        lambda n, a, b: (f"{n} is on floor {a} and goes up {b} floors. Which floor is that?", a + b),
        n=NAMES,
        a=range(2, 9),
        b=range(3, 7),
    ),
    "lift_down": number(
        lambda n, a, b: (f"From floor {a}, {n} walks down {b} floors. On which floor is {n} now?", a - b),
        n=NAMES,
        a=range(9, 15),
        b=range(2, 5),
    ),
    "age_later": number(
        lambda n, a, b: (f"{n} is {a} years old. How old will {n} be in {b} years?", a + b),
        n=NAMES,
        a=range(11, 40),
        b=range(2, 10),
    ),
    "age_before": number(
        lambda n, a, b: (f"{n} is {a} now. How old was {n} {b} years ago?", a - b),
        n=NAMES,
        a=range(20, 50),
        b=range(2, 10),
    ),
    "age_gap": number(
        lambda n, m, a, b: (f"{n} is {a} and {m} is {b} years older. How old is {m}?", a + b),
        n=NAMES,
        m=NAMES,
        a=range(6, 40),
        b=range(2, 6),
    ),
    "rows_of_chairs": number(
        lambda a, b: (f"A hall has {a} rows with {b} chairs each. How many chairs are there?", a * b),
        a=range(2, 7),
        b=range(3, 11),
    ),
    "egg_boxes": number(lambda a: (f"One box holds 6 eggs. How many eggs are in {a} boxes?", 6 * a), a=range(2, 10)),
    "legs_of_tables": number(lambda a: (f"A table has 4 legs. How many legs have {a} tables?", 4 * a), a=range(2, 12)),
    "wheels": number(
        lambda a: (f"A tricycle has 3 wheels. How many wheels are on {a} tricycles?", 3 * a), a=range(2, 12)
    ),
    "share_sweets": number(
        lambda a, b: (f"{b} children share {a * b} sweets equally. How many does each child get?", a),
        a=range(2, 9),
        b=range(2, 6),
    ),
    "cut_rope": number(
        lambda a, b: (f"A rope of {a * b} metres is cut into {b} equal pieces. How long is one piece, in metres?", a),
        a=range(2, 9),
        b=range(2, 6),
    ),
    "change_from_ten": number(
        lambda n, a: (f"{n} pays {a} euros with a ten euro note. What is the change in euros?", 10 - a),
        n=NAMES,
        a=range(1, 10),
    ),
    "change_from_fifty": number(
        lambda a: (f"The bill is {a} euros. You give 50. How many euros come back?", 50 - a), a=range(15, 48)
    ),
    "price_of_two": number(
        lambda a, b: (f"A pen costs {a} euros and a book {b} euros. What do both cost together?", a + b),
        a=range(1, 6),
        b=range(7, 20),
    ),
    "discount": number(
        lambda a, b: (f"A lamp of {a} euros is {b} euros cheaper today. What does it cost today?", a - b),
        a=range(30, 60),
        b=range(5, 10),
    ),
    "saving": number(
        lambda n, a, b: (f"{n} saves {a} euros a week. How much is saved in {b} weeks?", a * b),
        n=NAMES,
        a=range(3, 11),
        b=range(2, 6),
    ),
    "wage": number(
        lambda a, b: (f"The pay is {a} euros per hour. What does one earn in {b} hours?", a * b),
        a=range(10, 21, 5),
        b=range(2, 9),
    ),
    "walk_there_and_back": number(
        lambda a: (f"The way to school is {a} km. How many km is it there and back?", 2 * a), a=range(2, 15)
    ),
    "drive": number(
        lambda a, b: (f"A car goes {a}0 km each hour. How far does it go in {b} hours?", 10 * a * b),
        a=range(3, 9),
        b=range(2, 5),
    ),
    "meeting_end": number(
        lambda a, b: (f"A talk begins at {a} o'clock and lasts {b} hours. At what hour does it end?", a + b),
        a=range(1, 8),
        b=range(2, 5),
    ),
    "meeting_length": number(
        lambda a, b: (f"The shop opens at {a} and closes at {a + b} o'clock. How many hours is it open?", b),
        a=range(6, 10),
        b=range(3, 6),
    ),
    "date_later": number(
        lambda a, b: (f"Today is the {a}th of May. Which day of May is it {b} days later? Give the number.", a + b),
        a=range(4, 15),
        b=range(2, 9),
    ),
    "perimeter": number(
        lambda a: (f"Each side of a square is {a} cm. What is the way around it, in cm?", 4 * a), a=range(2, 12)
    ),
    "area": number(
        lambda a, b: (f"A room is {a} m long and {b} m wide. What is its area in square metres?", a * b),
        a=range(3, 9),
        b=range(2, 6),
    ),
    "goals": number(
        lambda a, b: (f"The team scored {a} goals in the first half and {b} in the second. How many in all?", a + b),
        a=range(1, 6),
        b=range(1, 6),
    ),
    "points_behind": number(
        lambda n, m, a, b: (f"{n} has {a} points and {m} has {b}. How many points is {m} behind?", a - b),
        n=NAMES,
        m=NAMES,
        a=range(20, 31),
        b=range(12, 18),
    ),
    "seats_free": number(
        lambda a, b: (f"Of {a}0 seats, {b}0 are taken. How many seats are free?", 10 * (a - b)),
        a=range(6, 10),
        b=range(1, 5),
    ),
    "pages_left": number(
        lambda n, a, b: (f"The book has {a}0 pages, and {n} has read {b}0. How many pages are left?", 10 * (a - b)),
        n=NAMES,
        a=range(12, 20),
        b=range(2, 9),
    ),
    "larger_number": number(
        lambda a, b, c: (f"Take the larger of {a} and {b} and add {c}.", max(a, b) + c),
        a=range(10, 30),
        b=range(31, 60),
        c=range(1, 4),
    ),
    "count_words": number(lambda a: (f"How many words are in this line? {' '.join(NAMES[:a])}", a), a=range(2, 9)),
    "count_marks": number(lambda a: (f"How many stars are here? {'* ' * a}".strip(), a), a=range(2, 9)),
    "digits": number(lambda a: (f"How many digits has the number {'7' * a}?", a), a=range(2, 7)),
    "biscuits": number(
        lambda a, b, c: (
            f"A tin had {a} biscuits. {b} were eaten on Monday and {c} on Tuesday. How many are left?",
            a - b - c,
        ),
        a=range(14, 20),
        b=range(2, 5),
        c=range(2, 5),
    ),
}
