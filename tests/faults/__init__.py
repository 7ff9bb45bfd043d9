"""Kills of every part of a training run at random moments. A kind of fault is a file with a function `faults(place, kills)`.

Tests do 5 kills of each kind. `bench/faults.py` does 20.
"""
