-- Where listings are. Nobody can change places, taxes, amenities and policies.
-- full_name tells places of one name apart. The box of a landmark is a point. currency: that of listings there.
CREATE TABLE stays_place(
  id TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL CHECK(kind IN ('country', 'region', 'city', 'district', 'landmark')),
  name TEXT NOT NULL,
  name_norm TEXT NOT NULL,
  full_name TEXT NOT NULL UNIQUE,
  parent_id TEXT REFERENCES stays_place(id),
  lat_e6 INTEGER NOT NULL CHECK(lat_e6 BETWEEN -90000000 AND 90000000),
  lng_e6 INTEGER NOT NULL CHECK(lng_e6 BETWEEN -180000000 AND 180000000),
  s_e6 INTEGER NOT NULL,
  w_e6 INTEGER NOT NULL,
  n_e6 INTEGER NOT NULL,
  e_e6 INTEGER NOT NULL,
  tz TEXT NOT NULL,
  currency TEXT NOT NULL REFERENCES org_currency(code),
  popularity INTEGER NOT NULL CHECK(popularity >= 0),
  CHECK((kind = 'country') = (parent_id IS NULL)),
  CHECK(s_e6 <= lat_e6 AND lat_e6 <= n_e6 AND w_e6 <= lng_e6 AND lng_e6 <= e_e6)
) STRICT, WITHOUT ROWID;
CREATE INDEX stays_place_parent ON stays_place(parent_id);
CREATE INDEX stays_place_name ON stays_place(name_norm);
-- Other names that people type: "Lisboa", "OPO". Several places may share one.
CREATE TABLE stays_place_alias(
  place_id TEXT NOT NULL REFERENCES stays_place(id),
  alias_norm TEXT NOT NULL,
  PRIMARY KEY(place_id, alias_norm)
) STRICT, WITHOUT ROWID;
CREATE INDEX stays_place_alias_norm ON stays_place_alias(alias_norm);
-- Holds for listings at the place or below it and stays whose check-in lies in [valid_from, valid_to). STAY-3 step 9.
-- exempt_from_nights: stays of at least so many nights pay nothing. base: of percent taxes. amount: per adult and night.
CREATE TABLE stays_tax_rule(
  id TEXT NOT NULL PRIMARY KEY,
  place_id TEXT NOT NULL REFERENCES stays_place(id),
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK(kind IN ('percent', 'per_person_night')),
  percent_bp INTEGER CHECK(percent_bp BETWEEN 1 AND 10000),
  amount INTEGER CHECK(amount > 0),
  currency TEXT REFERENCES org_currency(code),
  base TEXT CHECK(base IN ('accommodation', 'accommodation_and_fees')),
  adults_only INTEGER NOT NULL DEFAULT 1 CHECK(adults_only IN (0, 1)),
  max_nights INTEGER CHECK(max_nights > 0),
  exempt_from_nights INTEGER CHECK(exempt_from_nights > 0),
  valid_from TEXT NOT NULL,
  valid_to TEXT,
  CHECK((kind = 'percent') = (percent_bp IS NOT NULL AND base IS NOT NULL)),
  CHECK((kind = 'per_person_night') = (amount IS NOT NULL AND currency IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX stays_tax_rule_place ON stays_tax_rule(place_id);
CREATE TABLE stays_amenity(
  code TEXT NOT NULL PRIMARY KEY,
  label TEXT NOT NULL,
  grp TEXT NOT NULL,
  sort INTEGER NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;
-- The bands are STAY-4 (rules_refunds.py). is_choice: hosts may choose it; long_stay and non_refundable come by themselves.
CREATE TABLE stays_cancel_policy(
  code TEXT NOT NULL PRIMARY KEY,
  title TEXT NOT NULL,
  summary TEXT NOT NULL,
  sort INTEGER NOT NULL UNIQUE,
  is_choice INTEGER NOT NULL CHECK(is_choice IN (0, 1))
) STRICT, WITHOUT ROWID;
