"""Inputs of what hosts do: calendars, prices, listings, payouts. Amounts are in the listing's currency."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from ...kit.fields import Amount, Day, Id, Line, Version, widget
from ...kit.operations import Input
from .inputs import Month, RoomType
from .texts import Named, Said

MAX_VIEW_NIGHTS = 92
MAX_EDIT_NIGHTS = 366
LONGEST_VALUE = 500
ROOMS = ("bedroom", "living", "kitchen", "bath", "outside", "balcony", "desk", "view")

Action = Literal["block", "open", "price", "min_nights", "note"]
Status = Literal["draft", "listed", "snoozed", "unlisted"]
YesNo = Literal["yes", "no"]
Clock = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", json_schema_extra={"examples": ["15:00"]})]
Weekdays = Annotated[
    str,
    Field(pattern=r"^[1-7]{1,7}$", description="ISO weekdays as digits: 1 Monday to 7 Sunday; 56 is Friday, Saturday."),
]
Percent = Annotated[Amount, Field(description="Percent, such as 12.5.", json_schema_extra=widget("percent"))]


def _typed(value: Any) -> Any:
    """The text of a number, as it is; of text at most 500 characters."""
    text = str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value
    if isinstance(text, str) and len(text) > LONGEST_VALUE:
        raise ValueError(f"value has at most {LONGEST_VALUE} characters")
    return text


Typed = Annotated[
    Line, BeforeValidator(_typed), WithJsonSchema({"type": ["string", "number"], "x-widget": {"kind": "text"}})
]
_LIMIT = Field(default=25, ge=1, le=200)
_OFFSET = Field(default=0, ge=0, le=100_000)
_BY_NAME = Input.model_config | {"populate_by_name": True}


class NightsInput(Input):
    """A change of nights of one's own listing: those from `from` to `to`, both included, on the given weekdays."""

    listing: Id = Field(title="Listing")
    start: Day = Field(alias="from", title="First night")
    end: Day = Field(alias="to", title="Last night", description="Included.")
    weekdays: Weekdays = Field(default="1234567", title="Weekdays")
    action: Action = Field(
        title="Change",
        description="block and open close and open nights; price, min_nights (of stays that begin on the night) and "
        "note set value.",
    )
    value: Typed | None = Field(
        default=None,
        title="Value",
        description="Decimal price, number of nights, or text; null takes the night's own away. Not with block, open.",
    )

    model_config = _BY_NAME


class HostCalendarInput(NightsInput):
    """A change of nights, with how many the host means."""

    expected_nights: int = Field(
        ge=1, le=MAX_EDIT_NIGHTS, title="Nights", description="How many nights that is; another number is refused."
    )


class PricingChanges(Input):
    """Prices of a listing; only those to change, null clears one."""

    base_price: Amount | None = Field(default=None, title="Base price", description="A night; at least 10.")
    weekend_price: Amount | None = Field(default=None, title="Weekend price", description="Friday and Saturday nights.")
    included_guests: int | None = Field(default=None, ge=1, le=16, title="Guests included")
    extra_guest_fee: Amount | None = Field(default=None, title="Extra guest fee", description="A guest and night.")
    cleaning_fee: Amount | None = Field(default=None, title="Cleaning fee", description="Once a stay.")
    pet_fee: Amount | None = Field(default=None, title="Pet fee", description="Once a stay.")
    weekly_percent: Percent | None = Field(default=None, title="Weekly discount", description="From 7 nights on.")
    monthly_percent: Percent | None = Field(default=None, title="Monthly discount", description="From 28 nights on.")
    early_bird_days: int | None = Field(default=None, ge=1, le=730, title="Early bird: days before check-in")
    early_bird_percent: Percent | None = Field(default=None, title="Early bird discount")
    last_minute_days: int | None = Field(default=None, ge=1, le=60, title="Last minute: days before check-in")
    last_minute_percent: Percent | None = Field(default=None, title="Last minute discount")
    nonrefundable_percent: Percent | None = Field(
        default=None, title="Non-refundable discount", description="Null: there is no such rate."
    )


class HostPricingInput(Input):
    """New prices of one's own listing."""

    listing: Id = Field(title="Listing")
    values: PricingChanges
    row_version: Version


class ExampleQuoteInput(Input):
    """What guests would pay and the host would get for a stay; `values` tries prices that are not saved."""

    listing: Id
    checkin: Day | None = Field(default=None, title="Check-in", description="Two weeks from today by default.")
    nights: int = Field(default=3, ge=1, le=365, title="Nights")
    adults: int = Field(default=2, ge=1, le=16, title="Adults")
    children: int = Field(default=0, ge=0, le=15, title="Children")
    pets: int = Field(default=0, ge=0, le=5, title="Pets")
    values: PricingChanges | None = None


class SeasonChanges(Input):
    """A season: its nights, from date_from to date_to both included, have a price of their own."""

    name: Named | None = Field(default=None, min_length=1, max_length=60, title="Name")
    date_from: Day | None = Field(default=None, title="First night")
    date_to: Day | None = Field(default=None, title="Last night", description="Included.")
    adjust_percent: Percent | None = Field(
        default=None, title="Change of the base price", description="Such as 25 or -10. Or give fixed_price."
    )
    fixed_price: Amount | None = Field(default=None, title="Price a night", description="Instead of adjust_percent.")
    priority: int | None = Field(
        default=None,
        ge=1,
        le=1000,
        title="Priority",
        description="Of seasons that overlap the highest wins; no two are alike. A new season's is the highest.",
    )


class SeasonInput(SeasonChanges):
    """A new season of one's own listing."""

    listing: Id
    name: Named = Field(min_length=1, max_length=60, title="Name")
    date_from: Day = Field(title="First night")
    date_to: Day = Field(title="Last night", description="Included.")


class UpdateSeasonInput(Input):
    """Changes of a season: only the fields to change."""

    id: Id
    values: SeasonChanges
    row_version: Version


class DeleteSeasonInput(Input):
    """A season to take away."""

    id: Id
    row_version: Version


class RoomItem(Input):
    """A room in which people sleep."""

    name: Named = Field(min_length=1, max_length=60, title="Name")
    is_bedroom: bool = Field(default=True, title="Bedroom")
    double_beds: int = Field(default=0, ge=0, le=10, title="Double beds")
    single_beds: int = Field(default=0, ge=0, le=10, title="Single beds")
    sofa_beds: int = Field(default=0, ge=0, le=10, title="Sofa beds")


class AmenityItem(Input):
    """An amenity that the listing has. Without note its note stays; null takes the note away."""

    amenity: Line = Field(max_length=40, title="Amenity", description="A code of listing_choices.")
    note: Line | None = Field(default=None, max_length=200, title="Note", description='Such as "120 Mbps".')


class PhotoItem(Input):
    """A photo: `pos` of one that is there, or `room` and `caption` of a new one."""

    pos: int | None = Field(default=None, ge=1, le=60, title="Present position")
    room: Literal["bedroom", "living", "kitchen", "bath", "outside", "balcony", "desk", "view"] | None = Field(
        default=None, title="What is seen"
    )
    caption: Named | None = Field(default=None, min_length=1, max_length=200, title="Caption")


class RuleChanges(Input):
    """House rules; only those to change, null takes one away."""

    smoking: YesNo | None = Field(default=None, title="Smoking")
    parties: YesNo | None = Field(default=None, title="Parties")
    children: YesNo | None = Field(default=None, title="Children")
    quiet_hours: Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$")] | None = Field(
        default=None, title="Quiet hours", description="Such as 22:00-08:00."
    )
    other: Named | None = Field(default=None, min_length=1, max_length=300, title="Another rule")


class ListingChanges(Input):
    """What a listing says and asks of stays; only fields to change, null clears one. Prices: host_pricing."""

    title: Named | None = Field(default=None, min_length=1, max_length=80, title="Title")
    description: Said | None = Field(default=None, min_length=1, max_length=4000, title="Description")
    street: Line | None = Field(default=None, max_length=120, title="Street", description="Guests see it once booked.")
    postcode: Line | None = Field(default=None, max_length=20, title="Postcode")
    property_type: Line | None = Field(default=None, max_length=40, title="Property type")
    room_type: RoomType | None = Field(default=None, title="Type of place")
    inventory: int | None = Field(default=None, ge=1, le=40, title="Rooms of this kind")
    max_guests: int | None = Field(default=None, ge=1, le=16, title="Guests at most")
    baths: Amount | None = Field(default=None, title="Baths", description="In halves, such as 1.5.")
    max_infants: int | None = Field(default=None, ge=0, le=5, title="Infants at most")
    max_pets: int | None = Field(default=None, ge=0, le=5, title="Pets at most", description="0: none allowed.")
    min_nights: int | None = Field(default=None, ge=1, le=365, title="Nights at least")
    max_nights: int | None = Field(default=None, ge=1, le=365, title="Nights at most")
    checkin_from: Clock | None = Field(default=None, title="Check-in from")
    checkin_to: Clock | None = Field(default=None, title="Check-in until", description="Null: at any later hour.")
    checkout_by: Clock | None = Field(default=None, title="Checkout by")
    checkin_weekdays: Weekdays | None = Field(default=None, title="Check-in on")
    advance_notice_days: int | None = Field(default=None, ge=0, le=60, title="Days of notice")
    prep_days: int | None = Field(default=None, ge=0, le=2, title="Days free between stays")
    window_days: int | None = Field(default=None, ge=1, le=730, title="Bookable days ahead")
    instant_book: bool | None = Field(default=None, title="Instant book")
    self_checkin: bool | None = Field(default=None, title="Self check-in")
    policy: Line | None = Field(default=None, max_length=40, title="Cancellation policy", description="A code.")
    status: Status | None = Field(
        default=None, title="Status", description="Only listed ones are found. None goes back to draft."
    )
    rooms: list[RoomItem] | None = Field(
        default=None, min_length=1, max_length=20, title="Rooms", description="All of them, in order."
    )
    amenities: list[AmenityItem] | None = Field(
        default=None, max_length=60, title="Amenities", description="Those to add, or whose note changes."
    )
    remove_amenities: list[Line] | None = Field(default=None, max_length=60, title="Amenities to take away")
    rules: RuleChanges | None = Field(default=None, title="House rules")
    photos: list[PhotoItem] | None = Field(
        default=None, min_length=1, max_length=40, title="Photos", description="All that stay or come, in order."
    )


class ListingInput(ListingChanges):
    """A new listing; it begins as a draft. Zone and currency are those of the place."""

    place: Id = Field(title="Place", description="A city or district.")
    title: Named = Field(min_length=1, max_length=80, title="Title")
    description: Said = Field(min_length=1, max_length=4000, title="Description")
    property_type: Line = Field(max_length=40, title="Property type")
    room_type: RoomType = Field(title="Type of place")
    max_guests: int = Field(ge=1, le=16, title="Guests at most")
    base_price: Amount = Field(title="Base price", description="A night; at least 10.")
    rooms: list[RoomItem] = Field(min_length=1, max_length=20, title="Rooms")
    status: Literal["draft"] = Field(default="draft", title="Status")


class UpdateListingInput(Input):
    """Changes of one's own listing."""

    listing: Id = Field(title="Listing")
    values: ListingChanges
    row_version: Version


class PayoutsInput(Input):
    """Own payouts, the last due first."""

    status: Literal["scheduled", "paid", "cancelled"] | None = None
    month: Month | None = Field(default=None, description="Due in this month, YYYY-MM.")
    listing: Id | None = None
    limit: int = _LIMIT
    offset: int = _OFFSET


class TaxReportInput(Input):
    """A year of payouts."""

    year: int = Field(ge=1900, le=2199, title="Year", description="Of the day the payouts fell due.")
