"""Reports: a decision, a version, a comparison or a run as one HTML page, Markdown, JUnit XML or annotations for CI.

A builder turns stored records into a `Document`. A writer turns the document into one format. No writer reads the store.

Stability: internal. Use `Workspace.write_report` or `verigym report`.
"""
