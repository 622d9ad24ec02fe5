"""Forms as they are drawn and as they are read back (accessibility.md Forms, X-6, X-7, X-12)."""

from __future__ import annotations

from collections.abc import Callable

import flask
import pytest
from bs4 import BeautifulSoup, Tag

from deskgym_apps.kit.web import (
    FieldSection,
    Form,
    FormField,
    Look,
    LookupChoice,
    MenuItem,
    Option,
    lookup_answer,
    read_lookup,
    register_furniture,
    use_look,
)

from .naming import by_id, name_of

Draw = Callable[[str], BeautifulSoup]


def control(soup: BeautifulSoup, key: str) -> Tag:
    found = by_id(soup, f"opportunity-{key}")
    assert found is not None, key
    return found


def test_every_control_has_a_visible_label_and_required_is_said_in_text(draw: Draw) -> None:
    soup = draw("/crm/form")
    labels = {str(one["id"]): name_of(soup, one) for one in soup.select("form.kit-form [id][name]")}
    assert labels == {
        "opportunity-name": "Opportunity name",
        "opportunity-account_id": "Account",
        "opportunity-stage": "Stage",
        "opportunity-close_date": "Close date",
        "opportunity-amount": "Amount (USD)",
        "opportunity-probability": "Probability (%)",
        "opportunity-contact_email": "Contact e-mail",
        "opportunity-phone": "Phone",
        "opportunity-website": "Website",
        "opportunity-meeting": "First meeting (London time)",
        "opportunity-private": "Keep this opportunity private",
        "opportunity-next_step": "Next step",
    }
    assert not soup.select("form.kit-form [placeholder]")
    name = control(soup, "name")
    assert name["aria-required"] == "true"
    assert "Required" in described(soup, name)


def described(soup: BeautifulSoup, element: Tag) -> list[str]:
    found = [by_id(soup, key) for key in str(element["aria-describedby"]).split()]
    return [one.get_text(" ", strip=True) for one in found if one]


def test_x_12_a_rejected_form_keeps_values_and_ties_each_message_to_its_field(draw: Draw) -> None:
    soup = draw("/crm/form-errors")
    date = control(soup, "close_date")
    assert date["aria-invalid"] == "true"
    assert date["value"] == "2027-06-30"
    assert described(soup, date) == [
        "Required", "Format: 2027-05-14 or 14 May 2027", "A close date in the past needs a closed stage.",
    ]  # fmt: skip
    account = control(soup, "account_id")
    assert account["value"] == "Aldercroft Ltd"
    assert described(soup, account)[-1].split("?") == [
        "Account: which one do you mean",
        " Aldercroft Ltd, Leeds, owner Dana Whitcombe Aldercroft Ltd, Bristol, owner Priya Răducanu",
    ]
    assert "aria-invalid" not in control(soup, "name").attrs


def test_x_12_the_error_summary_is_an_alert_that_takes_focus_and_links_to_the_fields(draw: Draw) -> None:
    soup = draw("/crm/form-errors")
    (summary,) = soup.select("[role=alert]")
    assert summary["tabindex"] == "-1"
    assert "autofocus" in summary.attrs
    assert name_of(soup, summary) == "Nothing was saved: 2 problems to mend"
    assert [link["href"] for link in summary.select("a")] == ["#opportunity-account_id", "#opportunity-close_date"]
    assert not draw("/crm/form").select("[role=alert]")


def test_the_candidates_of_a_lookup_are_radio_buttons_with_what_tells_them_apart(draw: Draw) -> None:
    group = draw("/crm/form-errors").select_one("fieldset.field-candidates")
    assert group is not None
    radios = group.select("input[type=radio]")
    assert [(radio["name"], radio["value"]) for radio in radios] == [
        ("account_id__pick", "1"),
        ("account_id__pick", "2"),
    ]
    asked = group.select_one("input[type=hidden]")
    assert asked is not None
    assert (asked["name"], asked["value"]) == ("account_id__asked", "Aldercroft Ltd")


def test_the_error_summary_names_each_field_once() -> None:
    fields = (
        FormField(name="next_step", label="Next step", error="use at most 255 characters"),
        FormField(name="amount", label="Amount", error="an amount has at most 13 digits before the point"),
    )
    form = Form(
        action="/x", sections=(FieldSection("", fields),), submit_label="Save", cancel_href="/", errors=("too late",)
    )
    app = flask.Flask("summary")
    register_furniture(app)
    with app.test_request_context("/"):
        page = flask.render_template_string(
            '{% import "kit/forms.html" as forms %}{{ forms.error_summary(form) }}', form=form
        )
    lines = [one.get_text() for one in BeautifulSoup(page, "html.parser").select("li")]
    assert lines == [
        "Too late",
        "Next step: use at most 255 characters",
        "An amount has at most 13 digits before the point",
    ]


def test_both_variants_are_a_select_of_one_name_on_the_server(draw: Draw) -> None:
    aria, native = (control(draw(f"/crm/form?widgets={kind}"), "stage") for kind in ("aria", "native"))
    assert aria.name == native.name == "select"
    assert aria["name"] == native["name"] == "stage"
    assert "data-combobox" in aria.attrs
    assert "data-combobox" not in native.attrs
    assert [one.get_text() for one in aria.select("option[selected]")] == ["Negotiation/Review"]


def test_x_6_x_7_token_and_row_version_travel_with_the_form(draw: Draw) -> None:
    soup = draw("/crm/form")
    hidden = {str(one["name"]): one["value"] for one in soup.select("form.kit-form > input[type=hidden]")}
    assert hidden == {"form_token": "token-1", "row_version": "3"}
    pencils = [str(one["href"]) for one in draw("/crm/record").select("a[data-edit]")]
    assert len(pencils) == 5
    for editor in (draw(f"{href}&inline=1") for href in pencils):
        sent = {str(one["name"]): one.get("value") for one in editor.select("input[type=hidden]")}
        assert sent["form_token"] == "token-9"
        assert sent["row_version"] == "4"


def test_what_people_typed_is_never_markup(draw: Draw) -> None:
    soup = draw("/crm/form")
    assert control(soup, "name")["value"] == "Aldercroft <b>turbine</b> service"
    assert not soup.select("form b")


def test_a_text_area_keeps_its_first_line_break(gallery: flask.Flask) -> None:
    form = Form(action="/x", submit_label="Save note", cancel_href="/y", sections=(
        FieldSection("Note", (FormField(name="body", label="Body", kind="textarea", value="\nSecond line"),)),
    ))  # fmt: skip
    with gallery.test_request_context("/crm/"):
        page = flask.render_template_string('{% import "kit/furniture.html" as kit %}{{ kit.form(form) }}', form=form)
    assert ">\n\nSecond line</textarea>" in page


def test_synonyms_change_labels_and_no_names(gallery: flask.Flask) -> None:
    from deskgym_apps.kit.web import relabel

    field = FormField(name="stage", label="Stage", kind="select", options=(Option("a", "A"),))
    with gallery.test_request_context("/crm/"):
        relabel(Stage="Deal stage")
        page = flask.render_template_string('{% import "kit/furniture.html" as kit %}{{ kit.field(f, "x") }}', f=field)
    soup = BeautifulSoup(page, "html.parser")
    select = soup.select_one("select")
    assert select is not None
    assert name_of(soup, select) == "Deal stage"
    assert select["name"] == "stage"


@pytest.mark.parametrize(
    ("sent", "choice"),
    [
        (
            {"a": "ACC1", "a__label": "Aldercroft Ltd", "a__text": "Aldercroft Ltd"},
            LookupChoice("ACC1", "Aldercroft Ltd"),
        ),
        (
            {"a": "ACC1", "a__label": "Aldercroft Ltd", "a__text": " Halden Software "},
            LookupChoice("", "Halden Software"),
        ),
        ({"a": "ACC1", "a__label": "Aldercroft Ltd", "a__text": ""}, LookupChoice()),
        ({"a": "", "a__label": "", "a__text": "Halden"}, LookupChoice("", "Halden")),
        ({}, LookupChoice()),
    ],
)
def test_a_lookup_counts_its_id_only_while_the_text_is_its_label(sent: dict[str, str], choice: LookupChoice) -> None:
    assert read_lookup(sent, "a") == choice


def test_a_lookup_answers_with_label_and_disambiguator() -> None:
    assert lookup_answer([Option("ACC1", "Aldercroft Ltd", "Leeds")], more=True) == {
        "options": [{"id": "ACC1", "label": "Aldercroft Ltd", "detail": "Leeds"}],
        "more": True,
    }


def test_a_button_without_exactly_one_target_is_refused() -> None:
    with pytest.raises(ValueError, match="exactly one of href, post, dialog, dialog_href"):
        MenuItem(label="Nothing")
    with pytest.raises(ValueError, match="'Both'"):
        MenuItem(label="Both", href="/a", post="/b")


def drawn_in(gallery: flask.Flask, look: Look) -> BeautifulSoup:
    """A form of four faulty fields as an episode with that look shows it."""
    fields = tuple(FormField(name=name.lower(), label=name, error="give a value") for name in ("A", "B", "C", "D"))
    form = Form(action="/save", sections=(FieldSection("All", fields),), submit_label="Save", cancel_href="/")
    page = '{% import "kit/furniture.html" as kit %}{{ kit.form(form) }}'
    with gallery.test_request_context("/"):
        use_look(look)
        return BeautifulSoup(flask.render_template_string(page, form=form), "html.parser")


def test_the_summary_of_errors_follows_the_order_of_the_fields(gallery: flask.Flask) -> None:
    orders = set()
    for order in ("", "a", "b", "c"):
        soup = drawn_in(gallery, Look(field_order=order))
        shown = [str(one["name"]) for one in soup.select("input.form-control")]
        assert [str(one["href"]).split("-")[-1] for one in soup.select(".error-summary a")] == shown
        orders.add("".join(shown))
    assert "abcd" in orders
    assert len(orders) > 2


def test_an_error_names_the_label_that_the_episode_shows(gallery: flask.Flask) -> None:
    soup = drawn_in(gallery, Look(labels={"A": "Alpha"}))
    assert [one.get_text(" ", strip=True) for one in soup.select("label")] == ["Alpha", "B", "C", "D"]
    assert soup.select(".error-summary a")[0].get_text() == "Alpha: give a value"
