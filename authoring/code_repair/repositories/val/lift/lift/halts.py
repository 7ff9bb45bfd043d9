def halts(floor, calls, upward=True):
    """Order of service. A call from its present floor is answered at once, then everything in its direction, then it reverses."""
    here = [floor] if floor in calls else []
    above = sorted({call for call in calls if call > floor})
    below = sorted({call for call in calls if call < floor}, reverse=True)
    return here + (above + below if upward else below + above)
