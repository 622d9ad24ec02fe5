"""Home: the launcher, the person's instruction, and the one submission that seals the episode."""
