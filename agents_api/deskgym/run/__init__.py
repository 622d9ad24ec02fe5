"""Rollouts and run folders."""

from .folder import RunFolder
from .rollout import carry_out, plan

__all__ = ["RunFolder", "carry_out", "plan"]
