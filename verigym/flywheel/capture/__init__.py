"""What goes through the gateway, as trajectories: `Capture(home, redaction).add(Exchange(...))`."""

from verigym.flywheel.capture.capture import Capture, Counts
from verigym.flywheel.capture.exchange import Exchange
from verigym.flywheel.capture.keep import Placed

__all__ = ["Capture", "Counts", "Exchange", "Placed"]
