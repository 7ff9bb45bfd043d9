"""Running an agent in an environment: one episode, and many."""
