"""The designer: tasks and tables out of a spec, exactly as many as asked for, and variations of tasks that there are.

`spec` is what people write, `draw` the columns that chance fills and the constraints on them, `dear` the columns that cost (code,
models), `make` all of it until N rows are accepted, `vary` tasks made out of other tasks.
"""
