"""Pictures as SVG text, with no dependency. Each file draws one kind: bars, lines, intervals, dumbbells, histograms and others.

Every function returns a `Drawing` (`svg.py`). Reports, notebooks and the pages of `verigym view` show the same pictures.

Stability: internal. Reports and pages use it, and its functions may change.
"""
