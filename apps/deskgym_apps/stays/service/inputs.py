"""Inputs of what is read: one model a query, fields as pages and tools name them (openbnb names in `SearchInput`)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ...kit.fields import Amount, Day, Id, Line
from ...kit.operations import Input

Count = Annotated[int, Field(ge=0, le=16)]
Adults = Annotated[int, Field(ge=1, le=16, description="13 years and older.")]
Code = Annotated[str, Field(pattern=r"^HB\d{6}$", description="The reservation's code, HB and six digits.")]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$", description="ISO code; your display currency by default.")]
RoomType = Literal["entire_home", "private_room", "shared_room", "hotel_room"]
Sort = Literal["recommended", "price_low", "price_high", "rating", "distance", "newest"]
RatePlan = Literal["standard", "nonrefundable"]
Month = Annotated[str, Field(pattern=r"^(19|2[01])\d{2}-(0[1-9]|1[0-2])$", description="YYYY-MM")]
Degrees = Annotated[Amount, Field(description="Decimal degrees as text, such as 38.7139.")]


class GuestsInput(Input):
    """Who stays (STAY-2)."""

    adults: Adults = 1
    children: Annotated[Count, Field(description="2 to 12 years.")] = 0
    infants: Annotated[Count, Field(description="Under 2 years; they do not count toward capacity.")] = 0
    pets: Count = 0


class PlacesInput(Input):
    """What somebody types into "Where"."""

    text: Line = Field(max_length=120)
    limit: int = Field(default=8, ge=1, le=50)


class SearchInput(GuestsInput):
    """Where, when, who, filters, order and page. Prices are in `currency`."""

    location: Line | None = Field(default=None, max_length=120, description="A place by name, alias or beginning.")
    placeId: Id | None = Field(default=None, description="A place by id; wins over location.")
    checkin: Day | None = None
    checkout: Day | None = None
    weekend_in: Month | None = Field(default=None, description="Any Friday to Sunday of a month, instead of dates.")
    minPrice: Amount | None = Field(default=None, description="In currency, as price_mode says.")
    maxPrice: Amount | None = Field(default=None, description="In currency, as price_mode says.")
    price_mode: Literal["nightly", "total"] = Field(
        default="nightly", description="With dates: the average night before fees, or the total with fees and taxes."
    )
    propertyType: RoomType | None = Field(default=None, description="Type of place.")
    property_types: list[Line] = Field(default=[], max_length=20, description="Kinds of building; any of them.")
    amenities: list[Line] = Field(default=[], max_length=40, description="Codes; all of them.")
    bedrooms: Count = 0
    beds: Count = 0
    baths: Count = 0
    instant_book: bool = False
    self_checkin: bool = False
    superhost: bool = False
    free_cancellation: bool = Field(default=False, description="Policies flexible and moderate.")
    step_free: bool = Field(default=False, description="Step-free entrance.")
    host_language: Line | None = Field(default=None, max_length=40)
    min_rating: Amount | None = Field(default=None, description="Such as 4.5. Leaves out listings without a rating.")
    include_new: bool = Field(default=False, description="With min_rating: listings without a rating too.")
    south: Degrees | None = None
    west: Degrees | None = None
    north: Degrees | None = None
    east: Degrees | None = None
    sort: Sort = "recommended"
    page: int = Field(default=1, ge=1, le=10_000)
    currency: Currency | None = None


class ListingInput(GuestsInput):
    """A listing, with a price where dates are given."""

    id: Id
    checkin: Day | None = None
    checkout: Day | None = None
    currency: Currency | None = None


class CalendarInput(Input):
    """Months of a listing's calendar, from the month of `from` on (today's by default)."""

    listing: Id
    start: Day | None = Field(default=None, alias="from")
    months: int = Field(default=2, ge=1, le=14)

    model_config = Input.model_config | {"populate_by_name": True}


class QuoteInput(GuestsInput):
    """A stay to be priced."""

    listing: Id
    checkin: Day
    checkout: Day
    service_animals: Annotated[
        Count, Field(description="How many of the pets are service animals: no fee, always allowed.")
    ] = 0
    rate_plan: RatePlan = "standard"
    coupon: Line | None = Field(default=None, max_length=40)
    currency: Currency | None = Field(default=None, description="That is charged; your display currency by default.")
    use_credit: bool = Field(default=False, description="Pay with your credit first.")


class CouponInput(QuoteInput):
    """A coupon tried on a stay."""

    coupon: Line = Field(max_length=40)


class ReviewsInput(Input):
    """Published reviews of a listing."""

    listing: Id
    text: Line | None = Field(default=None, max_length=100, description="Only reviews that hold these words.")
    sort: Literal["newest", "oldest", "highest", "lowest"] = "newest"
    limit: int = Field(default=25, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=100_000)


class ReservationsInput(Input):
    """Own trips, or reservations of own listings. `status`: one, or a group of pages."""

    scope: Literal["guest", "host"] = "guest"
    status: (
        Literal[
            "inquiry",
            "pending",
            "confirmed",
            "declined",
            "expired",
            "withdrawn",
            "cancelled_guest",
            "cancelled_host",
            "completed",
            "upcoming",
            "past",
            "cancelled",
        ]
        | None
    ) = None
    listing: Id | None = None
    limit: int = Field(default=25, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=100_000)


class ReservationInput(Input):
    """One reservation by its code."""

    code: Code


class AlterPreviewInput(Input):
    """Other dates or guests for a reservation; what is left out stays as it is."""

    code: Code
    checkin: Day | None = None
    checkout: Day | None = None
    adults: Adults | None = None
    children: Count | None = None
    infants: Count | None = None
    pets: Count | None = None


class ThreadsInput(Input):
    """Own threads, the one with the newest message first."""

    unread: bool = False
    text: Line | None = Field(default=None, max_length=100)
    limit: int = Field(default=25, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=100_000)


class ThreadInput(Input):
    """One thread."""

    id: Id


class WishlistInput(Input):
    """One wishlist."""

    id: Id


class HostListingsInput(Input):
    """Own listings."""

    status: Literal["draft", "listed", "snoozed", "unlisted"] | None = None


class HostListingInput(Input):
    """One of the own listings, every step of the editor."""

    id: Id


class HostCalendarViewInput(Input):
    """Nights of own listings from `from` to `to`, both included, at most 92. All listed ones without `listing`."""

    listing: Id | None = None
    start: Day = Field(alias="from")
    end: Day = Field(alias="to")

    model_config = Input.model_config | {"populate_by_name": True}
