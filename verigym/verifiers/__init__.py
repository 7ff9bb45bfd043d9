"""What scores a trajectory: plain functions of a task and a trajectory, lifted to `core.protocols.Verifier`."""
