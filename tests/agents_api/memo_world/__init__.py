"""A tiny app and world, so that episodes can be tested apart from any real app."""
