"""What counts as done: pure functions from two states and a journal to a verdict."""
