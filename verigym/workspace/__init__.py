"""Each stage of the ring on a workspace: the folder that holds runs, versions, reports and the ledger."""
