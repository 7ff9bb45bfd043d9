"""Other training tasks than the shipped ones, by the name that `toolcall?train=NAME` uses."""

from verigym.environments.toolcall import grammar

training_sets = {"grammar": grammar.tasks}
