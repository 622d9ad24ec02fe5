"""The worlds: one invented company, written as rows of every app's tables."""
