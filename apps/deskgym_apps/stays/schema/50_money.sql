-- Every movement of a guest's money, in the reservation's charge currency. authorise holds, void lets go of it, capture
-- takes, refund gives back. A declined card leaves no row (STAY-11), but for that of an alteration: failed.
CREATE TABLE stays_payment(
  id TEXT NOT NULL PRIMARY KEY,
  reservation_id TEXT NOT NULL REFERENCES stays_reservation(id),
  method_id TEXT NOT NULL REFERENCES stays_payment_method(id),
  kind TEXT NOT NULL CHECK(kind IN ('authorise', 'capture', 'refund', 'void')),
  amount INTEGER NOT NULL CHECK(amount >= 0),
  currency TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'succeeded' CHECK(status IN ('succeeded', 'failed')),
  reason TEXT,
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX stays_payment_reservation ON stays_payment(reservation_id);
-- What the host gets: gross is what is kept of items 1-6 of STAY-3, host_fee 3 % of it, in the reservation's currency.
CREATE TABLE stays_payout(
  id TEXT NOT NULL PRIMARY KEY,
  host_id TEXT NOT NULL REFERENCES stays_user(id),
  reservation_id TEXT NOT NULL REFERENCES stays_reservation(id),
  gross INTEGER NOT NULL,
  host_fee INTEGER NOT NULL,
  net INTEGER NOT NULL,
  currency TEXT NOT NULL,
  due_on TEXT NOT NULL,
  status TEXT NOT NULL CHECK(status IN ('scheduled', 'paid', 'cancelled')),
  paid_at TEXT,
  CHECK(net = gross - host_fee),
  CHECK((status = 'paid') = (paid_at IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX stays_payout_host ON stays_payout(host_id);
CREATE INDEX stays_payout_reservation ON stays_payout(reservation_id);
CREATE INDEX stays_payout_due ON stays_payout(due_on) WHERE status = 'scheduled';
-- A host who cancels pays a share of what the nights would have brought (STAY-5), in the reservation's currency.
CREATE TABLE stays_penalty(
  id TEXT NOT NULL PRIMARY KEY,
  reservation_id TEXT NOT NULL UNIQUE REFERENCES stays_reservation(id),
  host_id TEXT NOT NULL REFERENCES stays_user(id),
  percent_bp INTEGER NOT NULL CHECK(percent_bp BETWEEN 0 AND 10000),
  amount INTEGER NOT NULL CHECK(amount >= 0),
  currency TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX stays_penalty_host ON stays_penalty(host_id);
-- Credit of a guest: after a host's cancellation (reservation_id), or a gift. What is left is amount less its uses.
CREATE TABLE stays_credit(
  id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES stays_user(id),
  kind TEXT NOT NULL CHECK(kind IN ('rebooking', 'gift')),
  reservation_id TEXT UNIQUE REFERENCES stays_reservation(id),
  amount INTEGER NOT NULL CHECK(amount > 0),
  currency TEXT NOT NULL REFERENCES org_currency(code),
  created_at TEXT NOT NULL,
  expires_on TEXT NOT NULL,
  CHECK((kind = 'rebooking') = (reservation_id IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX stays_credit_user ON stays_credit(user_id);
-- amount: minor units of the credit's currency.
CREATE TABLE stays_credit_use(
  credit_id TEXT NOT NULL REFERENCES stays_credit(id),
  reservation_id TEXT NOT NULL REFERENCES stays_reservation(id),
  amount INTEGER NOT NULL CHECK(amount > 0),
  used_at TEXT NOT NULL,
  PRIMARY KEY(credit_id, reservation_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX stays_credit_use_reservation ON stays_credit_use(reservation_id);
