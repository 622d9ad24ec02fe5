-- Money of a listing is in minor units of its currency; _bp columns are hundredths of a percent; hours are HH:MM there.
-- checkin_weekdays: ISO weekdays on which stays may begin. instant_book 0: guests request, the host has 24 hours (STAY-7).
CREATE TABLE stays_listing(
  id TEXT NOT NULL PRIMARY KEY,
  host_id TEXT NOT NULL REFERENCES stays_user(id),
  title TEXT NOT NULL CHECK(length(trim(title)) > 0),
  title_norm TEXT NOT NULL,
  description TEXT NOT NULL,
  place_id TEXT NOT NULL REFERENCES stays_place(id),
  lat_e6 INTEGER NOT NULL,
  lng_e6 INTEGER NOT NULL,
  street TEXT,
  postcode TEXT,
  tz TEXT NOT NULL,
  property_type TEXT NOT NULL,
  room_type TEXT NOT NULL CHECK(room_type IN ('entire_home', 'private_room', 'shared_room', 'hotel_room')),
  inventory INTEGER NOT NULL DEFAULT 1 CHECK(inventory BETWEEN 1 AND 40),
  max_guests INTEGER NOT NULL CHECK(max_guests BETWEEN 1 AND 16),
  included_guests INTEGER NOT NULL CHECK(included_guests >= 1),
  bedrooms INTEGER NOT NULL CHECK(bedrooms >= 0),
  beds INTEGER NOT NULL CHECK(beds >= 1),
  baths_half INTEGER NOT NULL CHECK(baths_half >= 0),
  max_infants INTEGER NOT NULL DEFAULT 5 CHECK(max_infants BETWEEN 0 AND 5),
  pets_allowed INTEGER NOT NULL DEFAULT 0 CHECK(pets_allowed IN (0, 1)),
  max_pets INTEGER NOT NULL DEFAULT 0 CHECK(max_pets BETWEEN 0 AND 5),
  currency TEXT NOT NULL REFERENCES org_currency(code),
  base_price INTEGER NOT NULL CHECK(base_price > 0),
  weekend_price INTEGER CHECK(weekend_price > 0),
  extra_guest_fee INTEGER NOT NULL DEFAULT 0 CHECK(extra_guest_fee >= 0),
  cleaning_fee INTEGER NOT NULL DEFAULT 0 CHECK(cleaning_fee >= 0),
  pet_fee INTEGER NOT NULL DEFAULT 0 CHECK(pet_fee >= 0),
  weekly_bp INTEGER NOT NULL DEFAULT 0 CHECK(weekly_bp BETWEEN 0 AND 9000),
  monthly_bp INTEGER NOT NULL DEFAULT 0 CHECK(monthly_bp BETWEEN 0 AND 9000),
  early_bird_days INTEGER CHECK(early_bird_days > 0),
  early_bird_bp INTEGER CHECK(early_bird_bp BETWEEN 1 AND 9000),
  last_minute_days INTEGER CHECK(last_minute_days > 0),
  last_minute_bp INTEGER CHECK(last_minute_bp BETWEEN 1 AND 9000),
  nonrefundable_bp INTEGER CHECK(nonrefundable_bp BETWEEN 1 AND 9000),
  min_nights INTEGER NOT NULL DEFAULT 1 CHECK(min_nights >= 1),
  max_nights INTEGER NOT NULL DEFAULT 365,
  checkin_from TEXT NOT NULL,
  checkin_to TEXT,
  checkout_by TEXT NOT NULL,
  checkin_weekdays TEXT NOT NULL DEFAULT '1234567' CHECK(length(checkin_weekdays) > 0),
  advance_notice_days INTEGER NOT NULL DEFAULT 0 CHECK(advance_notice_days >= 0),
  prep_days INTEGER NOT NULL DEFAULT 0 CHECK(prep_days BETWEEN 0 AND 2),
  window_days INTEGER NOT NULL DEFAULT 365 CHECK(window_days > 0),
  instant_book INTEGER NOT NULL CHECK(instant_book IN (0, 1)),
  policy_code TEXT NOT NULL REFERENCES stays_cancel_policy(code),
  self_checkin INTEGER NOT NULL DEFAULT 0 CHECK(self_checkin IN (0, 1)),
  status TEXT NOT NULL CHECK(status IN ('draft', 'listed', 'snoozed', 'unlisted')),
  listed_on TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  updated_by TEXT REFERENCES stays_user(id),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  CHECK(included_guests <= max_guests),
  CHECK(max_nights >= min_nights),
  CHECK((max_pets > 0) = pets_allowed),
  CHECK((early_bird_days IS NULL) = (early_bird_bp IS NULL)),
  CHECK((last_minute_days IS NULL) = (last_minute_bp IS NULL)),
  CHECK(status = 'draft' OR listed_on IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX stays_listing_host ON stays_listing(host_id);
CREATE INDEX stays_listing_place ON stays_listing(place_id, status);
CREATE INDEX stays_listing_spot ON stays_listing(lat_e6, lng_e6);
-- Where people sleep. The sums of bedrooms and beds stand on the listing too.
CREATE TABLE stays_listing_room(
  listing_id TEXT NOT NULL REFERENCES stays_listing(id),
  pos INTEGER NOT NULL CHECK(pos > 0),
  name TEXT NOT NULL,
  is_bedroom INTEGER NOT NULL DEFAULT 1 CHECK(is_bedroom IN (0, 1)),
  double_beds INTEGER NOT NULL DEFAULT 0 CHECK(double_beds >= 0),
  single_beds INTEGER NOT NULL DEFAULT 0 CHECK(single_beds >= 0),
  sofa_beds INTEGER NOT NULL DEFAULT 0 CHECK(sofa_beds >= 0),
  PRIMARY KEY(listing_id, pos)
) STRICT, WITHOUT ROWID;
-- note: "120 Mbps", "on the street, free".
CREATE TABLE stays_listing_amenity(
  listing_id TEXT NOT NULL REFERENCES stays_listing(id),
  amenity TEXT NOT NULL REFERENCES stays_amenity(code),
  note TEXT,
  PRIMARY KEY(listing_id, amenity)
) STRICT, WITHOUT ROWID;
-- House rules. smoking, parties, children: yes or no; quiet_hours: 22:00-08:00; other: a sentence.
CREATE TABLE stays_listing_rule(
  listing_id TEXT NOT NULL REFERENCES stays_listing(id),
  code TEXT NOT NULL CHECK(code IN ('smoking', 'parties', 'children', 'quiet_hours', 'other')),
  value TEXT NOT NULL,
  PRIMARY KEY(listing_id, code)
) STRICT, WITHOUT ROWID;
-- Pictures are drawn from seed; room: what is seen.
CREATE TABLE stays_listing_photo(
  listing_id TEXT NOT NULL REFERENCES stays_listing(id),
  pos INTEGER NOT NULL CHECK(pos > 0),
  caption TEXT NOT NULL,
  room TEXT NOT NULL,
  seed INTEGER NOT NULL,
  PRIMARY KEY(listing_id, pos)
) STRICT, WITHOUT ROWID;
-- A night of its own: closed, or at its own price, or with a minimum for stays that begin on it. Else no row.
CREATE TABLE stays_calendar_override(
  listing_id TEXT NOT NULL REFERENCES stays_listing(id),
  night TEXT NOT NULL,
  blocked INTEGER NOT NULL DEFAULT 0 CHECK(blocked IN (0, 1)),
  price INTEGER CHECK(price > 0),
  min_nights INTEGER CHECK(min_nights >= 1),
  note TEXT,
  PRIMARY KEY(listing_id, night)
) STRICT, WITHOUT ROWID;
-- Nights from date_from to date_to, both included. adjust_bp: of the base price, +2500 is a quarter more. The highest
-- priority wins; two seasons of a listing never have the same.
CREATE TABLE stays_season(
  id TEXT NOT NULL PRIMARY KEY,
  listing_id TEXT NOT NULL REFERENCES stays_listing(id),
  name TEXT NOT NULL,
  date_from TEXT NOT NULL,
  date_to TEXT NOT NULL,
  adjust_bp INTEGER CHECK(adjust_bp > -10000),
  fixed_price INTEGER CHECK(fixed_price > 0),
  priority INTEGER NOT NULL,
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  UNIQUE(listing_id, priority),
  CHECK(date_to > date_from),
  CHECK((adjust_bp IS NULL) <> (fixed_price IS NULL))
) STRICT, WITHOUT ROWID;
-- What a host often writes to guests.
CREATE TABLE stays_quick_reply(
  id TEXT NOT NULL PRIMARY KEY,
  host_id TEXT NOT NULL REFERENCES stays_user(id),
  title TEXT NOT NULL CHECK(length(trim(title)) > 0),
  body TEXT NOT NULL,
  UNIQUE(host_id, title)
) STRICT, WITHOUT ROWID;
