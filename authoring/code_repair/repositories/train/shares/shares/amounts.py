def cents(text):
    """"12.5" is 1250, "3" is 300, "0.07" is 7."""
    whole, _, part = text.partition(".")
    return int(whole) * 100 + int(part.ljust(2, "0"))


def expense(line):
    """`Ann 12.50 for Bo, Cy` as payer, cents and those who share it; without names the payer paid for nobody else."""
    paid, _, names = line.partition(" for ")
    payer, amount = paid.split()
    return [payer, cents(amount), names.split(", ") if names else [payer]]
