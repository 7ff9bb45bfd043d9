"""Where the stages of the ring are composed: a workspace, the stages as functions, the quickstart."""
