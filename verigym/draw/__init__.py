"""Pictures as SVG text, with no dependency: line charts of curves, and bars with intervals.

Stability: internal. Reports and pages use it, and its functions may change.
"""
