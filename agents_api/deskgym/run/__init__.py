"""Running many trials: the plan, the workers, the run folder, grading and replaying what was stored."""
