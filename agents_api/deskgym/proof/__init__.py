"""The gates of the audit (grading.md §3.9): what a task must show before its verdicts are believed.

One module a kind of gate: `doors` (A1, A2, A18), `handed_in` (A3, A4, A5), `near` (A6, A8), `attacked` (A9), `again`
(A10, A11), `broken` (A12). `wild` holds the end states that a world's careless agents leave, which every task of it
grades (A5); `planes` the server that is attacked, and `probes` the attacks; `foreign` the process with other settings.
`shared` keeps what is the same for all tasks of a world: the wild ends, and what was found of planes and reset.
"""

from __future__ import annotations

from .case import Case
from .report import GATES, AuditReport, Gate

__all__ = ["GATES", "AuditReport", "Case", "Gate"]
