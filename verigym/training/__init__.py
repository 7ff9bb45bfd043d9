"""From trajectories to better weights: samples, advantages, losses, and the loops around them."""
