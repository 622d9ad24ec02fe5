-- One thread a listing and guest (STAY-12); its reservations are those of that guest at that listing.
CREATE TABLE stays_thread(
  id TEXT NOT NULL PRIMARY KEY,
  listing_id TEXT NOT NULL REFERENCES stays_listing(id),
  guest_id TEXT NOT NULL REFERENCES stays_user(id),
  host_id TEXT NOT NULL REFERENCES stays_user(id),
  created_at TEXT NOT NULL,
  UNIQUE(listing_id, guest_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX stays_thread_guest ON stays_thread(guest_id);
CREATE INDEX stays_thread_host ON stays_thread(host_id);
-- kind system: what Harbourstay says by itself; its sender is who caused it.
CREATE TABLE stays_message(
  id TEXT NOT NULL PRIMARY KEY,
  thread_id TEXT NOT NULL REFERENCES stays_thread(id),
  sender_id TEXT NOT NULL REFERENCES stays_user(id),
  kind TEXT NOT NULL DEFAULT 'user' CHECK(kind IN ('user', 'system')),
  body TEXT NOT NULL CHECK(length(trim(body)) > 0),
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX stays_message_thread ON stays_message(thread_id);
-- Until when somebody has read a thread. Layout, outside the canonical state: an explicit POST sets it (X-11).
CREATE TABLE stays_ui_thread_read(
  thread_id TEXT NOT NULL REFERENCES stays_thread(id),
  user_id TEXT NOT NULL REFERENCES stays_user(id),
  last_read_at TEXT NOT NULL,
  PRIMARY KEY(thread_id, user_id)
) STRICT, WITHOUT ROWID;
-- Submitted once and never changed; published when both are in or 14 days after checkout; one reply (STAY-9).
-- Guests rate the six categories as well. kind system: what a host's cancellation leaves on the listing (STAY-5), no rating.
CREATE TABLE stays_review(
  id TEXT NOT NULL PRIMARY KEY,
  reservation_id TEXT NOT NULL REFERENCES stays_reservation(id),
  listing_id TEXT NOT NULL REFERENCES stays_listing(id),
  author_id TEXT NOT NULL REFERENCES stays_user(id),
  direction TEXT NOT NULL CHECK(direction IN ('guest_to_host', 'host_to_guest', 'system')),
  overall INTEGER CHECK(overall BETWEEN 1 AND 5),
  cleanliness INTEGER CHECK(cleanliness BETWEEN 1 AND 5),
  accuracy INTEGER CHECK(accuracy BETWEEN 1 AND 5),
  checkin INTEGER CHECK(checkin BETWEEN 1 AND 5),
  communication INTEGER CHECK(communication BETWEEN 1 AND 5),
  location INTEGER CHECK(location BETWEEN 1 AND 5),
  value INTEGER CHECK(value BETWEEN 1 AND 5),
  body TEXT NOT NULL CHECK(length(trim(body)) > 0),
  private_note TEXT,
  submitted_at TEXT NOT NULL,
  is_published INTEGER NOT NULL DEFAULT 0 CHECK(is_published IN (0, 1)),
  published_at TEXT,
  reply TEXT,
  reply_at TEXT,
  UNIQUE(reservation_id, direction),
  CHECK((direction = 'system') = (overall IS NULL)),
  CHECK(is_published = (published_at IS NOT NULL)),
  CHECK((reply IS NULL) = (reply_at IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX stays_review_listing ON stays_review(listing_id, direction, is_published, overall);
CREATE INDEX stays_review_due ON stays_review(submitted_at) WHERE is_published = 0;

CREATE TABLE stays_wishlist(
  id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES stays_user(id),
  name TEXT NOT NULL CHECK(length(trim(name)) > 0),
  name_norm TEXT NOT NULL,
  is_private INTEGER NOT NULL DEFAULT 1 CHECK(is_private IN (0, 1)),
  checkin TEXT,
  checkout TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  updated_by TEXT REFERENCES stays_user(id),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  UNIQUE(user_id, name_norm),
  CHECK((checkin IS NULL) = (checkout IS NULL)),
  CHECK(checkin IS NULL OR checkout > checkin)
) STRICT, WITHOUT ROWID;
CREATE TABLE stays_wishlist_item(
  wishlist_id TEXT NOT NULL REFERENCES stays_wishlist(id),
  listing_id TEXT NOT NULL REFERENCES stays_listing(id),
  note TEXT,
  added_at TEXT NOT NULL,
  PRIMARY KEY(wishlist_id, listing_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX stays_wishlist_item_listing ON stays_wishlist_item(listing_id);
