"""Stores the gateway's traffic as trajectories: `Capture(home, redaction).add(Exchange(...))`."""

from verigym.traces.capture.capture import Capture, CaptureCounts
from verigym.traces.capture.conversation_writer import Placement
from verigym.traces.capture.exchange import Exchange

__all__ = ["Capture", "CaptureCounts", "Exchange", "Placement"]
