"""The stories of each split. Each one is a family with its own quantities, samples, instrument and rival laws.

The splits share no story, sample, instrument or wording. Everything in them is invented.
"""

from authoring.science import train_matter, train_nature, train_people, val_stories

TRAIN = [*train_matter.STORIES, *train_nature.STORIES, *train_people.STORIES]
VAL = val_stories.STORIES
