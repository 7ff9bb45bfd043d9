"""What is kept: runs with their tasks, trajectories and verdicts, metrics, documents, and the ledger."""
