"""Every stage of the cycle on a workspace, the folder that holds runs, versions, reports and the ledger.

Stability: internal. Import public names from `verigym`.
"""
