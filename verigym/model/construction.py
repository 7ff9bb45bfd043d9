"""A lock for building transformers models, one at a time in a process.

While it loads weights, transformers replaces `PreTrainedModel.tie_weights` for the whole process and puts the old function back
at the end. Two loads in two threads can put the replacement back, and every later model then has untied embeddings.
"""

import threading

ONE_MODEL_AT_A_TIME = threading.RLock()
