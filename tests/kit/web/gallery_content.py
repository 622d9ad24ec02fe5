"""Invented content for the gallery: a few companies, people and deals, with long and unusual names."""

from __future__ import annotations

from deskgym_apps.kit.web import (
    Activity,
    ActivityGroup,
    BulkAction,
    Cell,
    Column,
    FieldSection,
    FilterChip,
    FilterPanel,
    Form,
    FormField,
    InlineEdit,
    MenuItem,
    Nav,
    NavLink,
    Option,
    Page,
    Person,
    Row,
    Shell,
    Table,
    Timeline,
)
from deskgym_apps.kit.web.actions import Link
from deskgym_apps.kit.web.display import long_date, money

TODAY = "2027-05-14"
STAGES = (
    ("Prospecting", "10"),
    ("Qualification", "10"),
    ("Needs Analysis", "20"),
    ("Value Proposition", "50"),
    ("Proposal/Price Quote", "75"),
    ("Negotiation/Review", "90"),
    ("Closed Won", "100"),
    ("Closed Lost", "0"),
)
OWNERS = ("Dana Whitcombe", "Priya Răducanu", "Luis Ferrão", "Åsa Lindqvist", "Mei Tanaka", "Łukasz Wrona")
ABOUT = "Runs four river turbines."
INDUSTRIES = ("Energy", "Logistics", "Food production", "Machinery", "Healthcare", "Software")
ACCOUNTS = (
    ("ACC000000000001", "Aldercroft Ltd", "Leeds", 0, 0, 41200000),
    ("ACC000000000002", "Aldercroft Ltd", "Bristol", 1, 1, 9850000),
    ("ACC000000000003", "Brânzești Lactate SA", "Târgoviște", 2, 1, 123456789),
    ("ACC000000000004", "Cobalt Ridge Machinery", "Duluth", 3, 2, 780000000),
    ("ACC000000000005", "Dvořák & Šimek Logistika", "Ústí nad Labem", 1, 3, 56430000),
    ("ACC000000000006", "Eastmere Hospital Supplies and Sterile Instruments Partnership", "Ipswich", 4, 4, 2200000),
    ("ACC000000000007", "Fjellvik Kraft", "Ålesund", 0, 3, 9912345600),
    ("ACC000000000008", "Gorczyca Młyny", "Łódź", 2, 5, 31000000),
    ("ACC000000000009", "Halden Software", "Halden", 5, 0, None),
)
DEALS = (
    ("OPP000000000001", "Aldercroft turbine service", 0, "Negotiation/Review", 41200000, "2027-06-30", 0, ""),
    ("OPP000000000002", "Brânzești cold chain", 2, "Value Proposition", 8640050, "2027-05-28", 1, ""),
    (
        "OPP000000000003",
        "Cobalt Ridge press line, phase two and spare parts",
        3,
        "Negotiation/Review",
        129900000,
        "2027-05-09",
        2,
        "Overdue",
    ),
    ("OPP000000000004", "Dvořák routing pilot", 4, "Prospecting", 1250000, "2027-07-15", 3, ""),
    ("OPP000000000005", "Eastmere sterile trays", 5, "Prospecting", None, "2027-06-02", 4, ""),
    ("OPP000000000006", "Fjellvik dam inspection", 6, "Proposal/Price Quote", 300000000, "2027-06-18", 3, ""),
    ("OPP000000000007", "Gorczyca mill sensors", 7, "Qualification", 4475000, "2027-08-01", 5, ""),
    ("OPP000000000008", "Halden licence renewal", 8, "Closed Won", 2499900, "2027-05-03", 0, ""),
)


def shell(current: str) -> Shell:
    """The app bar with one tab marked as current."""
    tabs = (
        ("Home", "/crm/", "house"),
        ("Accounts", "/crm/accounts", "building"),
        ("Contacts", "/crm/contacts", "people"),
        ("Opportunities", "/crm/opportunities", "briefcase"),
        ("Pipeline", "/crm/board", "kanban"),
        ("Tasks", "/crm/tasks", "check2-square"),
    )
    new = (("New account", "building"), ("New contact", "person-vcard"), ("New opportunity", "briefcase"))
    return Shell(
        app="crm",
        app_name="Northbeam",
        home_href="/crm/",
        nav=Nav("Northbeam", tuple(NavLink(label, href, icon, label == current) for label, href, icon in tabs)),
        person=Person(
            "Dana Whitcombe",
            "Account executive",
            (
                MenuItem(label="Desk", href="/desk", icon="grid"),
                MenuItem(label="Recycle bin", href="/bin", icon="trash3"),
            ),
        ),
        search_href="/crm/search",
        search_label="Search Northbeam",
        new_items=tuple(MenuItem(label=label, href="/crm/form", icon=icon) for label, icon in new),
        notifications_href="/crm/notifications",
        notifications_unread=3,
        footer=(Link("Help", "/crm/empty"),),
        footer_note="Times in Europe/London (BST)",
    )


def account_row(account: tuple[str, str, str, int, int, int | None]) -> Row:
    """One account as a row of the list."""
    key, name, city, industry, owner, revenue = account
    shown = f"{name}, {city}" if name == "Aldercroft Ltd" else name
    return Row(
        id=key,
        name=shown,
        cells={
            "name": Cell(text=name, href="/crm/record", label=shown),
            "city": Cell(text=city, edit_href=f"/crm/edit?field=city&id={key}"),
            "industry": INDUSTRIES[industry],
            "revenue": money(revenue, "USD"),
            "type": Cell(text="Customer" if owner % 2 else "Prospect", tone="success" if owner % 2 else "info"),
            "activity": long_date(f"2027-0{owner % 4 + 1}-1{industry}"),
            "owner": OWNERS[owner],
        },
        actions=(
            MenuItem(label="Edit", href="/crm/form", icon="pencil"),
            MenuItem(label="Change owner", dialog_href="/crm/stage", icon="person"),
            MenuItem(label="Delete", dialog_href="/crm/delete", icon="trash3", danger=True),
        ),
    )


def editable_field(name: str) -> FormField:
    """A field of the gallery's record that has a pencil."""
    industry = FormField(name=name, label="Industry", kind="select", value="Energy", options=options(INDUSTRIES))
    known = (
        FormField(name="phone", label="Phone", kind="phone", value="+44 113 496 0021"),
        FormField(name="since", label="Customer since", kind="date", value="2024-02-01"),
        FormField(name="description", label="Description", kind="textarea", value=ABOUT),
        FormField(name="parent_id", label="Parent account", kind="lookup", lookup_url="/crm/lookup"),
        FormField(name="city", label="City", value="Leeds"),
    )
    return industry if name == "industry" else next(field for field in known if field.name == name)


def editor(field: FormField, record: str) -> InlineEdit:
    """The inline editor of a field: of the record, or of the row of a list that `record` names."""
    hidden = (("id", record),) if record else ()
    return InlineEdit(
        id=f"edit-{record or 'record'}",
        field=field,
        action="/crm/post",
        token="token-9",
        row_version=4,
        hidden=hidden,
        cancel_href="/crm/record",
    )


def account_table(*, filtered: bool = False, empty: bool = False, page: int = 2) -> Table:
    """The account list: filters, selection, paging."""
    rows = () if empty else tuple(account_row(ACCOUNTS[i % 9]) for i in range(9))
    chips = (FilterChip("Industry equals Energy", "/crm/accounts"), FilterChip("Owner is me", "/crm/accounts?x=1"))
    return Table(
        id="accounts",
        caption="All accounts",
        url="/crm/accounts",
        noun=("account", "accounts"),
        columns=(
            Column("name", "Account name", sortable=True),
            Column("city", "City", sortable=True),
            Column("industry", "Industry", sortable=True),
            Column("revenue", "Annual revenue", sortable=True, kind="money"),
            Column("type", "Type", kind="badge"),
            Column("activity", "Last activity", sortable=True, kind="date"),
            Column("owner", "Owner", kind="person"),
        ),
        rows=rows,
        page=Page(page, 9, 0 if empty else 131, sizes=(9, 25, 100)),
        sort="name",
        selectable=True,
        bulk=(
            BulkAction(label="Change owner", post="/crm/post"),
            BulkAction(label="Delete", post="/crm/post", danger=True),
        ),
        filters=FilterPanel(
            fields=(
                FormField(
                    name="industry", label="Industry", kind="select", value="Energy", options=options(INDUSTRIES)
                ),
                FormField(name="city", label="City"),
                FormField(name="owner", label="Owner", kind="lookup", lookup_url="/crm/lookup"),
            ),
            chips=chips if filtered or empty else (),
            clear_href="/crm/accounts",
            open=filtered,
        ),
        empty_title="No accounts match these filters",
        empty_text="Take a filter away, or create the account you are looking for.",
        empty_action=MenuItem(label="New account", href="/crm/form", icon="plus-lg", primary=True),
    )


def options(values: tuple[str, ...], blank: str = "--None--") -> tuple[Option, ...]:
    """Options of a picklist with a blank one first."""
    return (Option("", blank), *(Option(value, value) for value in values))


def opportunity_form(*, wrong: bool = False) -> Form:
    """A form with every kind of field; `wrong` shows it as a rejected submission."""
    stages = options(tuple(name for name, _ in STAGES))
    return Form(
        id="opportunity",
        title="New opportunity",
        action="/crm/post",
        token="token-1",
        row_version=3,
        submit_label="Save opportunity",
        cancel_href="/crm/accounts",
        sections=(
            FieldSection(
                "About the opportunity",
                (
                    FormField(
                        name="name",
                        label="Opportunity name",
                        required=True,
                        value="Aldercroft <b>turbine</b> service",
                        max_length=120,
                    ),
                    FormField(
                        name="account_id",
                        label="Account",
                        kind="lookup",
                        lookup_url="/crm/lookup",
                        required=True,
                        value="" if wrong else "ACC000000000001",
                        value_label="Aldercroft Ltd",
                        value_detail="" if wrong else "Leeds, owner Dana Whitcombe",
                        error="“Aldercroft Ltd” is the name of 2 accounts; choose one from the list." if wrong else "",
                        candidates=(
                            Option("1", "Aldercroft Ltd", "Leeds, owner Dana Whitcombe"),
                            Option("2", "Aldercroft Ltd", "Bristol, owner Priya Răducanu"),
                        )
                        if wrong
                        else (),
                    ),
                    FormField(
                        name="stage",
                        label="Stage",
                        kind="select",
                        required=True,
                        value="Negotiation/Review",
                        options=stages,
                    ),
                    FormField(
                        name="close_date",
                        label="Close date",
                        kind="date",
                        required=True,
                        value="2027-06-30",
                        error="A close date in the past needs a closed stage." if wrong else "",
                    ),
                    FormField(name="amount", label="Amount", unit="USD", kind="money", value="412000.00"),
                    FormField(
                        name="probability",
                        label="Probability",
                        unit="%",
                        kind="number",
                        value="90",
                        help="Set by the stage unless you type another value.",
                    ),
                ),
            ),
            FieldSection(
                "More",
                (
                    FormField(
                        name="contact_email", label="Contact e-mail", kind="email", value="k.ashdown@aldercroft.example"
                    ),
                    FormField(name="phone", label="Phone", kind="phone", value="+44 113 496 0021"),
                    FormField(name="meeting", label="First meeting", unit="London time", kind="datetime"),
                    FormField(name="website", label="Website", kind="url"),
                    FormField(name="private", label="Keep this opportunity private", kind="checkbox", value="1"),
                    FormField(
                        name="next_step",
                        label="Next step",
                        kind="textarea",
                        value="Send revised terms.\nCall on Monday.",
                    ),
                ),
            ),
        ),
    )


def timeline() -> Timeline:
    """What happened and will happen around one account."""
    task = (
        MenuItem(label="Complete", post="/crm/post", icon="check2"),
        MenuItem(label="Edit", href="/crm/form", icon="pencil"),
    )
    upcoming = (
        Activity(
            kind="task",
            title="Send revised terms",
            when="Due 12 May 2027",
            who="Dana Whitcombe",
            href="/crm/record",
            status="Overdue",
            tone="danger",
            actions=task,
        ),
        Activity(
            kind="event",
            title="Site visit with Åsa",
            when="18 May 2027, 09:30 BST",
            who="Åsa Lindqvist",
            href="/crm/record",
            text="Meet at the north gate. Bring the inspection sheets.",
        ),
    )
    past = (
        Activity(
            kind="call",
            title="Call about the spare parts list",
            when="7 May 2027, 14:05 BST",
            who="Dana Whitcombe",
            href="/crm/record",
            text="They want the two rotors quoted separately.",
        ),
        Activity(
            kind="email",
            title="Re: Service contract 2027",
            when="4 May 2027, 11:20 BST",
            who="Karin Ashdown",
            href="/crm/record",
            text="Thank you for the draft. Could you confirm the response times in clause 4?",
        ),
        Activity(
            kind="note", title="Budget holder", when="2 May 2027, 16:40 BST", who="Priya Răducanu", href="/crm/record"
        ),
    )
    return Timeline(
        title="Timeline",
        groups=(
            ActivityGroup(title="Upcoming & overdue", activities=upcoming),
            ActivityGroup(title="May 2027", activities=past),
        ),
        composer=tuple(
            MenuItem(label=label, dialog_href="/crm/stage", icon=icon)
            for label, icon in (
                ("Log a call", "telephone"),
                ("New task", "check2-square"),
                ("New event", "calendar-event"),
            )
        ),
        older_href="/crm/record?older=1",
    )
