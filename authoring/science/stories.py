"""What is measured: a story is a family, with its own quantities, samples, instrument and rival laws.

Those to learn from and those held out share no story, sample, instrument or wording. Everything here is invented.
"""

from authoring.science import stories_held_out, stories_matter, stories_nature, stories_people

TRAIN = [*stories_matter.STORIES, *stories_nature.STORIES, *stories_people.STORIES]
VAL = stories_held_out.STORIES
