"""Office applications that behave like the real thing, built to be used by agents and graded."""

__version__ = "0.1.0"
