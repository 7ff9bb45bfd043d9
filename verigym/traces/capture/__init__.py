"""What goes through the gateway, as trajectories: `Capture(home, redaction).add(Exchange(...))`."""

from verigym.traces.capture.capture import Capture, Counts
from verigym.traces.capture.exchange import Exchange
from verigym.traces.capture.keeper import Placed

__all__ = ["Capture", "Counts", "Exchange", "Placed"]
