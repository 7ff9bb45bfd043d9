"""Families of training tasks with solutions in small steps: `math?train=worked` (see `training_sets`)."""
