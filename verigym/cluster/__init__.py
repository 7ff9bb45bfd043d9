"""Many machines: the cluster file, and the engines, learners and workers that it describes. Ray starts and watches them.

Stability: experimental. Import public names from `verigym`.
"""
