"""Companies: names by industry and country, domains from the stem under .example."""

from collections import Counter

from deskgym_seeds.companies import Company, draw_company, industries, legal_forms, subsidiary
from deskgym_seeds.people import ascii_letters
from deskgym_seeds.places import countries, draw_place, places
from deskgym_seeds.streams import Stream


def market(count: int = 300) -> list[Company]:
    taken: set[str] = set()
    return [draw_company(Stream("t", n), draw_place(Stream("t", n, "place")), taken) for n in range(count)]


def test_every_country_has_legal_forms_of_its_own() -> None:
    for iso in countries():
        _, forms, order = legal_forms(iso)
        assert sum(weight for _, weight in forms) > 0
        assert order in ("before", "after", "either", "pt")
    assert ("GmbH", 56) in legal_forms("DE")[1]
    assert ("GmbH & Co. KG", 20) in legal_forms("DE")[1]


def test_domains_are_unique_ascii_and_come_from_the_name() -> None:
    companies = market()
    domains = [company.domain for company in companies]
    assert len(domains) == len(set(domains))
    for company in companies:
        assert company.domain.endswith(".example")
        assert company.domain.isascii()
        label = company.domain.removesuffix(".example").replace("-", "")
        assert ascii_letters(company.stem.split()[0], "de")[:3] in label or ascii_letters(company.stem)[:3] in label


def test_names_end_with_the_legal_form_of_the_country() -> None:
    for company in market():
        forms = {form for form, _ in legal_forms(company.place.country.iso)[1]}
        assert company.legal in forms
        assert company.name.endswith(company.legal)
        assert company.stem in company.name


def test_industries_speak_the_language_of_the_place() -> None:
    taken: set[str] = set()
    german = [draw_company(Stream("d", n), places()["munich"], taken) for n in range(60)]
    words = {word for industry in industries() for word in industry.words["de"]}
    assert sum(any(word in company.brand for word in words) for company in german) > 40
    assert not any("Engineering" in company.brand for company in german)


def test_sizes_are_skewed() -> None:
    sizes = sorted(company.employees for company in market())
    assert sizes[150] < sum(sizes) / len(sizes)
    assert sizes[-1] > 10 * sizes[150]


def test_no_stem_is_everywhere() -> None:
    stems = Counter(company.stem for company in market())
    assert stems.most_common(1)[0][1] <= 8
    assert len(stems) > 180


def test_daughters_share_stem_domain_and_mail_pattern() -> None:
    mother = market(1)[0]
    daughter = subsidiary(mother, places()["lyon"], Stream("t", "daughter"))
    assert (daughter.stem, daughter.domain, daughter.mail_pattern) == (mother.stem, mother.domain, mother.mail_pattern)
    assert daughter.name != mother.name
    assert daughter.employees < mother.employees
