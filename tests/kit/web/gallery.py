"""A small Flask app that shows every piece of page furniture with realistic content.

Run it by hand with `python -m tests.kit.web.gallery 8765`; the tests serve it on a free port. What is
posted to it is kept in `app.config["POSTS"]`, so that tests see what a page really sends.
"""

from __future__ import annotations

import sys
from pathlib import Path

import flask

from deskgym_apps.kit.web import (
    Board,
    BoardColumn,
    Card,
    Change,
    Conflict,
    Detail,
    DetailSection,
    FieldSection,
    Form,
    FormField,
    Highlight,
    Look,
    MenuItem,
    Option,
    PageHeader,
    RelatedItem,
    RelatedList,
    Stage,
    StagePath,
    Tab,
    Toast,
    lookup_answer,
    register_furniture,
    use_look,
    use_shell,
)
from deskgym_apps.kit.web.actions import Link
from deskgym_apps.kit.web.display import long_date, money

from . import gallery_content as content

pages = flask.Blueprint("gallery", __name__, url_prefix="/crm")
SECTIONS = {"accounts": "Accounts", "record": "Accounts", "board": "Pipeline", "deal": "Opportunities", "home": "Home"}


def create_gallery() -> flask.Flask:
    """Return the gallery app. `?theme= density= widgets= accent=` choose the look of one page."""
    app = flask.Flask("gallery", template_folder=str(Path(__file__).parent / "templates"), static_folder=None)
    app.config["POSTS"] = []
    register_furniture(app)
    app.register_blueprint(pages)
    app.before_request(_dress)
    return app


def _dress() -> None:
    chosen = {
        key: flask.request.args[key] for key in ("theme", "density", "widgets", "accent") if key in flask.request.args
    }
    use_look(Look(today=content.TODAY, **chosen))  # type: ignore[arg-type]  # a test may pass any text
    section = flask.request.path.rsplit("/", 1)[-1] or "home"
    use_shell(content.shell(SECTIONS.get(section, "")))


def show(template: str, **values: object) -> str:
    """Render a gallery page; `?done=` shows a message about what was just sent."""
    done = flask.request.args.get("done")
    toasts = (Toast(done, link=Link("View the record", "/crm/record")),) if done else ()
    return flask.render_template(template, toasts=toasts, **values)


@pages.get("/")
def home() -> str:
    deals = content.account_table(page=1)
    return show("home.html", timeline=content.timeline(), table=deals, work=_related("work", "My open opportunities"))


@pages.get("/accounts")
def accounts() -> str:
    filtered = flask.request.args.get("panel") == "1"
    empty = flask.request.args.get("city") == "Nowhere"
    header = PageHeader(
        title="All accounts",
        kicker="Accounts",
        icon="building",
        actions=(MenuItem(label="New account", href="/crm/form", icon="plus-lg", primary=True),),
    )
    return show("list.html", list_header=header, table=content.account_table(filtered=filtered, empty=empty))


@pages.get("/record")
def record() -> str:
    header = PageHeader(
        kicker="Account",
        title="Aldercroft Ltd",
        icon="building",
        badge="Customer",
        badge_tone="success",
        highlights=(
            Highlight(label="Industry", value="Energy"),
            Highlight(label="Annual revenue", value=money(41200000, "USD")),
            Highlight(label="Phone", value="+44 113 496 0021", href="tel:+441134960021"),
            Highlight(label="Owner", value="Dana Whitcombe"),
            Highlight(label="Open pipeline", value=money(170100050, "USD")),
        ),
        actions=(
            MenuItem(label="Edit account", href="/crm/form"),
            MenuItem(label="New opportunity", dialog_href="/crm/form", icon="plus-lg", primary=True),
        ),
        more=(
            MenuItem(label="Change owner", dialog="owner-dialog", icon="person"),
            MenuItem(label="Delete account", dialog_href="/crm/delete", icon="trash3", danger=True),
        ),
    )
    tabs = (
        Tab("details", "Details", "/crm/record"),
        Tab("related", "Related", "/crm/accounts", 14),
        Tab("history", "History", "/crm/empty"),
    )
    related = (
        _related("opportunities", "Opportunities"),
        RelatedList(
            id="contacts",
            title="Contacts",
            total=0,
            icon="person-vcard",
            empty_text="No contacts yet.",
            actions=(MenuItem(label="New contact", dialog_href="/crm/form"),),
        ),
    )
    return show(
        "record.html",
        header=header,
        tabs=tabs,
        details=_details(),
        related=related,
        timeline=content.timeline(),
        owner_form=_stage_form("owner-form"),
    )


def _related(key: str, title: str) -> RelatedList:
    items = tuple(
        RelatedItem(
            name=name,
            href="/crm/deal",
            facts=(("Stage", stage), ("Amount", money(amount, "USD")), ("Close date", long_date(close))),
            actions=(MenuItem(label="Edit", href="/crm/form", icon="pencil"),),
        )
        for _, name, _, stage, amount, close, _, _ in content.DEALS[:3]
    )
    return RelatedList(
        id=key,
        title=title,
        total=8,
        items=items,
        icon="briefcase",
        all_href="/crm/board",
        actions=(MenuItem(label="New", name=f"New record in {title}", dialog_href="/crm/form"),),
    )


@pages.get("/edit")
def edit() -> str:
    """One field of the record alone: as a page, or for the script that asks for it as an inline editor."""
    field = content.editable_field(flask.request.args["field"])
    if flask.request.args.get("inline") != "1":
        return form()
    return flask.render_template("kit/inline.html", edit=content.editor(field, flask.request.args.get("id", "")))


def _details() -> tuple[DetailSection, ...]:
    edit = "/crm/edit?field="
    return (
        DetailSection(
            "Account information",
            (
                Detail(label="Account name", value="Aldercroft Ltd"),
                Detail(label="Owner", value="Dana Whitcombe", kind="person"),
                Detail(label="Phone", value="+44 113 496 0021", kind="phone", edit_href=f"{edit}phone"),
                Detail(label="Industry", value="Energy", edit_href=f"{edit}industry"),
                Detail(label="Customer since", value="1 February 2024", edit_href=f"{edit}since"),
                Detail(label="Parent account", edit_href=f"{edit}parent_id"),
                Detail(label="Description", value=content.ABOUT, kind="longtext", edit_href=f"{edit}description"),
            ),
        ),
        DetailSection(
            "System information",
            (
                Detail(label="Created", value="3 March 2026, 08:12 GMT, by Priya Răducanu"),
                Detail(label="Last changed", value="7 May 2027, 14:05 BST, by Dana Whitcombe"),
            ),
        ),
    )


@pages.get("/deal")
def deal() -> str:
    header = PageHeader(
        kicker="Opportunity",
        title="Aldercroft turbine service",
        icon="briefcase",
        highlights=(
            Highlight(label="Account", value="Aldercroft Ltd", href="/crm/record"),
            Highlight(label="Amount", value=money(41200000, "USD")),
            Highlight(label="Close date", value="30 June 2027"),
            Highlight(label="Probability", value="90%"),
        ),
        actions=(MenuItem(label="Edit opportunity", href="/crm/form"),),
    )
    names = [name for name, _ in content.STAGES]
    stages = tuple(
        Stage(
            value=name,
            label=name,
            state="done" if i < 5 else "current" if i == 5 else "open",
            dialog_href=f"/crm/stage?stage={name}" if name.startswith("Closed") else "",
        )
        for i, name in enumerate(names)
    )
    path = StagePath(
        label="Sales path", action="/crm/post", field="stage", stages=stages, hidden=(("row_version", "4"),)
    )
    return show("deal.html", header=header, path=path, details=_details(), timeline=content.timeline())


@pages.get("/board")
def board() -> str:
    columns = []
    for stage, _ in content.STAGES:
        deals = [deal for deal in content.DEALS if deal[3] == stage]
        closed = {"Closed Won": "success", "Closed Lost": "danger"}.get(stage, "")
        cards = tuple(
            Card(
                id=key,
                name=name,
                href="/crm/deal",
                amount=money(amount, "USD"),
                owner=content.OWNERS[owner],
                overdue=late,
                facts=(("Account", content.ACCOUNTS[account][1]), ("Close date", long_date(close))),
                move_post="/crm/post",
                move_href="/crm/stage",
                fields=(("id", key), ("row_version", "2")),
            )
            for key, name, account, _, amount, close, owner, late in deals
        )
        total = money(sum(deal[4] or 0 for deal in deals), "USD")
        count = f"{len(deals)} {'deal' if len(deals) == 1 else 'deals'}"
        columns.append(
            BoardColumn(value=stage, label=stage, count=count, total=total, cards=cards, tone=closed, asks=bool(closed))
        )
    header = PageHeader(title="Pipeline", kicker="Opportunities", icon="kanban")
    return show(
        "board.html", board_header=header, board=Board(label="Pipeline board", field="stage", columns=tuple(columns))
    )


@pages.get("/form")
def form() -> str:
    header = PageHeader(title="New opportunity", icon="briefcase")
    return show(
        "kit/form_page.html", title="New opportunity · Opportunity", header=header, form=content.opportunity_form()
    )


@pages.get("/form-errors")
def form_errors() -> tuple[str, int]:
    header = PageHeader(title="New opportunity", icon="briefcase")
    page = show(
        "kit/form_page.html",
        title="New opportunity · Opportunity",
        header=header,
        form=content.opportunity_form(wrong=True),
    )
    return page, 422


def _stage_form(key: str) -> Form:
    reasons = content.options(("Price", "Competitor", "No budget", "Other"))
    fields = (
        FormField(name="lost_reason", label="Lost reason", kind="select", required=True, options=reasons),
        FormField(name="close_date", label="Close date", kind="date", required=True, value="2027-05-14"),
        FormField(name="lost_detail", label="Details", kind="textarea", rows=3),
    )
    hidden = tuple((key, flask.request.args[key]) for key in ("stage",) if key in flask.request.args)
    return Form(
        id=key,
        title="Close as lost",
        action="/crm/post",
        submit_label="Mark as Closed Lost",
        cancel_href="/crm/deal",
        sections=(FieldSection("", fields, columns=1),),
        hidden=hidden,
        token="token-4",
        row_version=4,
    )


@pages.get("/stage")
def stage() -> str:
    return show(
        "kit/form_page.html",
        title="Close as lost · Opportunity",
        header=PageHeader(title="Close as lost"),
        form=_stage_form("close"),
    )


@pages.get("/delete")
def delete() -> str:
    asked = Form(
        id="delete",
        title="Delete Aldercroft Ltd?",
        action="/crm/post",
        submit_label="Delete account",
        cancel_href="/crm/record",
        sections=(),
        intro="The account, 3 contacts and 2 opportunities go to the recycle bin.",
        danger=True,
    )
    return show(
        "kit/form_page.html", title="Delete account", header=PageHeader(title="Delete Aldercroft Ltd?"), form=asked
    )


@pages.get("/conflict")
def conflict() -> tuple[str, int]:
    changes = (
        Change(
            label="Phone",
            was="+44 113 496 0021",
            theirs="+44 113 496 0099",
            yours="+44 113 496 0044",
            who="Priya Răducanu",
            when="14 May 2027, 09:12 BST",
        ),
        Change(label="Industry", was="Energy", theirs="Energy", yours="Machinery"),
    )
    found = Conflict(
        record="Aldercroft Ltd",
        record_href="/crm/record",
        changes=changes,
        retry_post="/crm/post",
        retry_fields=(("phone", "+44 113 496 0044"), ("row_version", "5")),
        edit_href="/crm/form",
    )
    return show("kit/conflict.html", conflict=found), 409


@pages.get("/missing")
def missing() -> tuple[str, int]:
    ways = (Link("Go to accounts", "/crm/accounts"), Link("Search Northbeam", "/crm/search"))
    reason = "This account does not exist, or you may not see it."
    return show("kit/error.html", code=404, heading="Account not found", reason=reason, ways=ways), 404


@pages.get("/lookup")
def lookup() -> dict[str, object]:
    text = flask.request.args["q"].casefold()
    found = [
        Option(key, name, f"{city}, owner {content.OWNERS[owner]}")
        for key, name, city, _, owner, _ in content.ACCOUNTS
        if text in name.casefold()
    ]
    return lookup_answer(found[:5], more=len(found) > 5)


@pages.post("/post")
def post() -> flask.typing.ResponseReturnValue:
    flask.current_app.config["POSTS"].append(flask.request.form.to_dict(flat=False))
    return flask.redirect(flask.url_for("gallery.record", done="Aldercroft Ltd was changed."), 303)


if __name__ == "__main__":
    create_gallery().run(port=int(sys.argv[1]))
