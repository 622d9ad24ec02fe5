-- Capital letters and digits. value: minor units of currency, or hundredths of a percent. Stays: every night in
-- [stay_from, stay_to). Bookings: the guest's date from starts_on to ends_on, both included (STAY-10).
CREATE TABLE stays_coupon(
  code TEXT NOT NULL PRIMARY KEY CHECK(code = upper(code)),
  title TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN ('amount', 'percent')),
  value INTEGER NOT NULL CHECK(value > 0),
  currency TEXT NOT NULL REFERENCES org_currency(code),
  max_discount INTEGER CHECK(max_discount > 0),
  min_subtotal INTEGER NOT NULL DEFAULT 0 CHECK(min_subtotal >= 0),
  min_nights INTEGER NOT NULL DEFAULT 1 CHECK(min_nights >= 1),
  starts_on TEXT NOT NULL,
  ends_on TEXT NOT NULL,
  stay_from TEXT,
  stay_to TEXT,
  first_booking_only INTEGER NOT NULL DEFAULT 0 CHECK(first_booking_only IN (0, 1)),
  per_user INTEGER NOT NULL DEFAULT 1 CHECK(per_user >= 1),
  total_uses INTEGER CHECK(total_uses >= 1),
  place_id TEXT REFERENCES stays_place(id)
) STRICT, WITHOUT ROWID;

-- currency is the listing's, charge_currency what the guest pays in; fx_rate_ppm: charge units per listing unit, x 1e6.
-- policy_code is the one that applies: long_stay from 28 nights on, non_refundable with that rate plan. checkin_from and
-- policy_code are the reservation's own (J9). total, coupon_amount, credit_amount: minor units of charge_currency;
-- coupon_amount and credit_amount are positive. total is what the latest revision of the price lines adds up to (J2):
-- a cancellation adds a revision with what is kept, so total is then what was captured less what was refunded.
-- requested_at: when it last became pending; expires_at is 24 hours later. An inquiry holds nothing and costs nothing yet.
CREATE TABLE stays_reservation(
  id TEXT NOT NULL PRIMARY KEY,
  code TEXT NOT NULL UNIQUE CHECK(length(code) = 8),
  listing_id TEXT NOT NULL REFERENCES stays_listing(id),
  guest_id TEXT NOT NULL REFERENCES stays_user(id),
  status TEXT NOT NULL CHECK(status IN
    ('inquiry', 'pending', 'confirmed', 'declined', 'expired', 'withdrawn', 'cancelled_guest', 'cancelled_host', 'completed')),
  checkin TEXT NOT NULL,
  checkout TEXT NOT NULL,
  checkin_from TEXT NOT NULL,
  adults INTEGER NOT NULL CHECK(adults >= 1),
  children INTEGER NOT NULL DEFAULT 0 CHECK(children >= 0),
  infants INTEGER NOT NULL DEFAULT 0 CHECK(infants >= 0),
  pets INTEGER NOT NULL DEFAULT 0 CHECK(pets >= 0),
  rate_plan TEXT NOT NULL DEFAULT 'standard' CHECK(rate_plan IN ('standard', 'nonrefundable')),
  policy_code TEXT NOT NULL REFERENCES stays_cancel_policy(code),
  currency TEXT NOT NULL REFERENCES org_currency(code),
  charge_currency TEXT NOT NULL REFERENCES org_currency(code),
  fx_rate_ppm INTEGER NOT NULL CHECK(fx_rate_ppm > 0),
  total INTEGER NOT NULL CHECK(total >= 0),
  coupon_code TEXT REFERENCES stays_coupon(code),
  coupon_amount INTEGER NOT NULL DEFAULT 0 CHECK(coupon_amount >= 0),
  credit_amount INTEGER NOT NULL DEFAULT 0 CHECK(credit_amount >= 0),
  created_at TEXT NOT NULL,
  requested_at TEXT,
  expires_at TEXT,
  confirmed_at TEXT,
  cancelled_at TEXT,
  cancel_reason TEXT,
  host_note TEXT,
  updated_at TEXT NOT NULL,
  updated_by TEXT REFERENCES stays_user(id),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  CHECK(checkout > checkin),
  CHECK((status IN ('cancelled_guest', 'cancelled_host')) = (cancelled_at IS NOT NULL)),
  CHECK(status NOT IN ('confirmed', 'completed', 'cancelled_guest', 'cancelled_host') OR confirmed_at IS NOT NULL),
  CHECK(status <> 'pending' OR expires_at IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX stays_reservation_listing ON stays_reservation(listing_id);
CREATE INDEX stays_reservation_guest ON stays_reservation(guest_id);
CREATE INDEX stays_reservation_coupon ON stays_reservation(coupon_code) WHERE coupon_code IS NOT NULL;
CREATE INDEX stays_reservation_pending ON stays_reservation(expires_at) WHERE status = 'pending';
CREATE INDEX stays_reservation_confirmed ON stays_reservation(checkout) WHERE status = 'confirmed';
-- Holds inventory: rows of confirmed and completed reservations only (J1), found by listing and night. unit counts rooms from 1 to inventory.
-- price: the one chosen for the night (STAY-3), before discounts, in the reservation's currency.
CREATE TABLE stays_reservation_night(
  listing_id TEXT NOT NULL REFERENCES stays_listing(id),
  night TEXT NOT NULL,
  unit INTEGER NOT NULL DEFAULT 1 CHECK(unit >= 1),
  reservation_id TEXT NOT NULL REFERENCES stays_reservation(id),
  price INTEGER NOT NULL CHECK(price > 0),
  PRIMARY KEY(listing_id, night, unit)
) STRICT, WITHOUT ROWID;
-- Discounts, coupons and credits are negative. listing_amount is in the reservation's currency, amount in charge_currency.
-- detail_json: nightly prices, on the line of nights, of reservations that hold no night rows.
CREATE TABLE stays_price_line(
  reservation_id TEXT NOT NULL REFERENCES stays_reservation(id),
  rev INTEGER NOT NULL CHECK(rev > 0),
  pos INTEGER NOT NULL CHECK(pos > 0),
  kind TEXT NOT NULL CHECK(kind IN
    ('nights', 'discount', 'extra_guest', 'cleaning', 'pet', 'service_fee', 'tax', 'coupon', 'credit')),
  label TEXT NOT NULL,
  listing_amount INTEGER NOT NULL,
  charge_amount INTEGER NOT NULL,
  charge_currency TEXT NOT NULL,
  detail_json TEXT,
  PRIMARY KEY(reservation_id, rev, pos)
) STRICT, WITHOUT ROWID;

-- A request for other dates or guests; the reservation is unchanged until it is accepted (STAY-6). new_total and delta:
-- minor units of the reservation's charge currency.
CREATE TABLE stays_alteration(
  id TEXT NOT NULL PRIMARY KEY,
  reservation_id TEXT NOT NULL REFERENCES stays_reservation(id),
  requested_by TEXT NOT NULL REFERENCES stays_user(id),
  checkin TEXT NOT NULL,
  checkout TEXT NOT NULL,
  adults INTEGER NOT NULL CHECK(adults >= 1),
  children INTEGER NOT NULL CHECK(children >= 0),
  infants INTEGER NOT NULL CHECK(infants >= 0),
  pets INTEGER NOT NULL CHECK(pets >= 0),
  charge_currency TEXT NOT NULL,
  new_total INTEGER NOT NULL CHECK(new_total >= 0),
  delta INTEGER NOT NULL,
  status TEXT NOT NULL CHECK(status IN ('pending', 'accepted', 'declined', 'withdrawn', 'expired', 'superseded')),
  note TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  decided_at TEXT,
  CHECK(checkout > checkin),
  CHECK((status = 'pending') = (decided_at IS NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX stays_alteration_one_pending ON stays_alteration(reservation_id) WHERE status = 'pending';
CREATE INDEX stays_alteration_due ON stays_alteration(expires_at) WHERE status = 'pending';
CREATE INDEX stays_alteration_reservation ON stays_alteration(reservation_id);
-- What a host answers to an inquiry: it may be booked for 24 hours, at the ordinary price or for a fixed total
-- (minor units of the listing's currency, all fees and taxes in it).
CREATE TABLE stays_offer(
  id TEXT NOT NULL PRIMARY KEY,
  reservation_id TEXT NOT NULL REFERENCES stays_reservation(id),
  kind TEXT NOT NULL CHECK(kind IN ('preapproval', 'special_offer')),
  checkin TEXT NOT NULL,
  checkout TEXT NOT NULL,
  adults INTEGER NOT NULL CHECK(adults >= 1),
  children INTEGER NOT NULL CHECK(children >= 0),
  infants INTEGER NOT NULL CHECK(infants >= 0),
  pets INTEGER NOT NULL CHECK(pets >= 0),
  currency TEXT NOT NULL,
  total INTEGER CHECK(total > 0),
  status TEXT NOT NULL CHECK(status IN ('open', 'booked', 'withdrawn', 'expired', 'superseded')),
  created_at TEXT NOT NULL,
  expires_at TEXT NOT NULL,
  CHECK(checkout > checkin),
  CHECK((kind = 'special_offer') = (total IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX stays_offer_one_open ON stays_offer(reservation_id) WHERE status = 'open';
CREATE INDEX stays_offer_due ON stays_offer(expires_at) WHERE status = 'open';
-- Somebody asks for money, or for money back, after a stay; amount in the reservation's charge currency.
CREATE TABLE stays_resolution(
  id TEXT NOT NULL PRIMARY KEY,
  reservation_id TEXT NOT NULL REFERENCES stays_reservation(id),
  requested_by TEXT NOT NULL REFERENCES stays_user(id),
  kind TEXT NOT NULL CHECK(kind IN ('refund', 'payment', 'problem')),
  reason TEXT NOT NULL,
  body TEXT NOT NULL CHECK(length(trim(body)) > 0),
  charge_currency TEXT NOT NULL,
  amount INTEGER CHECK(amount > 0),
  status TEXT NOT NULL CHECK(status IN ('open', 'accepted', 'declined', 'withdrawn')),
  created_at TEXT NOT NULL,
  decided_at TEXT,
  CHECK((kind = 'problem') = (amount IS NULL)),
  CHECK((status = 'open') = (decided_at IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX stays_resolution_reservation ON stays_resolution(reservation_id);
