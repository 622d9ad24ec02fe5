-- Harbourstay. Names, rules and invariants: J1-J9, STAY-1-STAY-15. Nights are half-open [checkin, checkout).
-- Guests, hosts, senders and authors are stays_user ids; for people of the company that is their org_person id.

-- Everybody on Harbourstay. person_id: people of the company; outsiders (most hosts and guests) have none and never enter.
CREATE TABLE stays_user(
  id TEXT NOT NULL PRIMARY KEY,
  person_id TEXT UNIQUE REFERENCES org_person(id),
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  name_norm TEXT NOT NULL,
  email TEXT NOT NULL,
  phone TEXT,
  country TEXT NOT NULL,
  city TEXT,
  tz TEXT NOT NULL,
  languages TEXT NOT NULL,
  display_currency TEXT NOT NULL REFERENCES org_currency(code),
  about TEXT,
  is_host INTEGER NOT NULL DEFAULT 0 CHECK(is_host IN (0, 1)),
  is_superhost INTEGER NOT NULL DEFAULT 0 CHECK(is_superhost IN (0, 1)),
  is_verified INTEGER NOT NULL DEFAULT 0 CHECK(is_verified IN (0, 1)),
  response_rate_bp INTEGER CHECK(response_rate_bp BETWEEN 0 AND 10000),
  response_minutes INTEGER CHECK(response_minutes > 0),
  joined_on TEXT NOT NULL,
  CHECK(person_id IS NULL OR person_id = id),
  CHECK(is_superhost <= is_host)
) STRICT, WITHOUT ROWID;
CREATE TABLE stays_payment_method(
  id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES stays_user(id),
  brand TEXT NOT NULL,
  last4 TEXT NOT NULL CHECK(length(last4) = 4),
  exp_month INTEGER NOT NULL CHECK(exp_month BETWEEN 1 AND 12),
  exp_year INTEGER NOT NULL,
  behaviour TEXT NOT NULL CHECK(behaviour IN ('approve', 'decline', 'insufficient', '3ds_approve', '3ds_fail')),
  is_default INTEGER NOT NULL DEFAULT 0 CHECK(is_default IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX stays_payment_method_user ON stays_payment_method(user_id);
CREATE UNIQUE INDEX stays_payment_method_default ON stays_payment_method(user_id) WHERE is_default = 1;
-- What other people do by themselves (X-15); the first rule by sort whose condition holds acts.
CREATE TABLE stays_npc_rule(
  id TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL REFERENCES stays_user(id),
  trigger TEXT NOT NULL CHECK(trigger IN ('request', 'inquiry', 'alteration', 'message', 'offer', 'resolution')),
  condition_json TEXT NOT NULL,
  action_json TEXT NOT NULL,
  delay_minutes INTEGER NOT NULL CHECK(delay_minutes > 0),
  sort INTEGER NOT NULL,
  UNIQUE(user_id, trigger, sort)
) STRICT, WITHOUT ROWID;
