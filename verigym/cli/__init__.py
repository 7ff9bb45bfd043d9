"""The command line. Each file parses the options of one command group, calls `verigym.Workspace` and prints.

Stability: stable. Command names, options and exit codes are stable. The modules are internal.
"""
