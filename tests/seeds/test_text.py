"""Templates: enough of them, complete in their slots, and letters that read like letters."""

import re
from collections import Counter, defaultdict

import pytest

from deskgym_seeds.people import Person
from deskgym_seeds.streams import Stream
from deskgym_seeds.text import KINDS, letter, quotation, templates, voice_of, write

ADA = Person("Josephine", "O'Shaughnessy", "Josie", True, "gaelic")
JAN = Person("Jan", "de Vries", "Jan", False, "nl")
FACTS: dict[str, str] = defaultdict(lambda: "X")
EVERY = [(kind, intent) for kind in KINDS for intent in templates(kind)]


def test_there_are_more_than_two_hundred_templates() -> None:
    assert sum(len(found) for kind in KINDS for found in templates(kind).values()) >= 200
    assert len(EVERY) >= 60


@pytest.mark.parametrize(("kind", "intent"), EVERY)
def test_every_template_is_filled_completely(kind: str, intent: str) -> None:
    for number in range(25):
        subject, body = write(kind, intent, FACTS, Stream("t", kind, intent, number))
        assert subject.strip()
        assert not re.search(r"[{}|\[\]]", subject + body)
        assert subject[0] == subject[0].upper()


def test_a_missing_fact_is_an_error() -> None:
    with pytest.raises(KeyError):
        write("mail_out", "quote", {}, Stream("t"))
    with pytest.raises(KeyError):
        write("mail_out", "no such intent", FACTS, Stream("t"))


def test_facts_stand_in_the_text() -> None:
    facts = defaultdict(lambda: "X", amount="12,345.67 EUR")
    bodies = [write("mail_out", "quote", facts, Stream("t", n))[1] for n in range(40)]
    assert sum("12,345.67 EUR" in body for body in bodies) == 40


def test_one_text_in_fifty_has_a_typing_error() -> None:
    facts: dict[str, str] = defaultdict(lambda: "X")
    bodies = Counter(write("mail_in", "ooo", facts, Stream("t", n))[1] for n in range(2_000))
    usual, count = bodies.most_common(1)[0]
    assert 20 <= 2_000 - count <= 65
    assert all(abs(len(body) - len(usual)) <= 1 for body in bodies)


def test_people_keep_their_tone_and_formal_ones_use_the_surname() -> None:
    tones = Counter(voice_of(ADA, (), Stream("t", n)).tone for n in range(500))
    assert tones["warm"] > tones["formal"] > tones["brisk"] > 50
    voice = next(voice for n in range(99) if (voice := voice_of(JAN, ("Jan",), Stream("t", n))).tone == "formal")
    text = letter(voice, ADA, "Body.", Stream("t", "letter"))
    assert "Ms. O'Shaughnessy," in text
    assert text.rstrip().endswith("Jan")


def test_replies_quote_the_beginning_of_the_mail() -> None:
    quoted = quotation("Jan de Vries", "4 May 2031", "\n".join(f"line {n}" for n in range(9)))
    assert quoted.startswith("On 4 May 2031, Jan de Vries wrote:\n> line 0\n")
    assert quoted.endswith("> line 4\n> …")
    assert "> line" in letter(voice_of(ADA, (), Stream("t")), JAN, "Body.", Stream("t"), quoted)
