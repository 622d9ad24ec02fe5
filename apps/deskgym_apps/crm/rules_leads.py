"""Closed sets of leads, and when two companies are the same (CRM-2)."""

from __future__ import annotations

import re
from functools import lru_cache

from ..kit.norm import norm

STATUSES = ("Open - Not Contacted", "Working - Contacted", "Nurturing", "Qualified", "Unqualified")
CONVERTED_STATUSES = ("Qualified",)
"""Those flagged "converted": a lead takes one by being converted, never by hand."""
FIRST_STATUS = "Open - Not Contacted"
UNQUALIFIED = "Unqualified"

# Legal forms as they end a normed name without points, and as one of them is spelled out
_ENDINGS = """
inc incorporated llc ltd limited corp corporation co company plc llp ulc dac gmbh mbh ag kg kgaa ohg ek se bv nv sas sa
sarl sasu srl sl slu spa lda ltda coop rl cv as aps ab aktiebolag asa oy oyj sp oo sro kft zrt nyrt sti fze fzllc pjsc
jsc sae kk pte sdn bhd berhad pcl tbk pvt private pty proprietary
"""
_FORMS = frozenset(_ENDINGS.split())
_WITHIN = frozenset({"de", "ges", "s", "z"})  # what stands before or between them: S.A. de C.V., Ges. mbH, S. Coop.
_MARKS = re.compile(r"[^\w\s]|_")


@lru_cache(maxsize=1 << 16)
def company_key(name: str) -> str:
    """CRM-2.2: what the names of one company have in common: casefolded, no accents, no marks, no legal form."""
    plain = norm(name).replace("e. k.", "ek").replace("fz-llc", "fzllc").replace("/", "").replace(".", "")
    words = _MARKS.sub(" ", plain).split()
    last = len(words)
    while last > 1 and (words[last - 1] in _FORMS or (words[last - 1] in _WITHIN and last < len(words))):
        last -= 1
    first = 1 if words[:1] == ["pt"] and last > 1 else 0
    return " ".join(words[first:last])


def web_domain(address: str | None) -> str:
    """The domain of a web or e-mail address: `https://www.kestrel.example/de` -> `kestrel.example`, "" for none."""
    plain = norm(address or "")
    host = plain.rpartition("@")[2] if "@" in plain else plain.rpartition("://")[2]
    return host.partition("/")[0].partition(":")[0].removeprefix("www.")
