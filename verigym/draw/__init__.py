"""Pictures as SVG text, with no dependency: line charts of curves, and bars with intervals."""
