-- Shared tables of every store. Graded tables are STRICT, WITHOUT ROWID, with an explicit primary key.
CREATE TABLE org_meta(key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE org_id_counter(name TEXT NOT NULL PRIMARY KEY, next INTEGER NOT NULL CHECK(next > 0)) STRICT, WITHOUT ROWID;
CREATE TABLE org_currency(
  code TEXT NOT NULL PRIMARY KEY,
  exponent INTEGER NOT NULL CHECK(exponent BETWEEN 0 AND 3),
  is_corporate INTEGER NOT NULL DEFAULT 0 CHECK(is_corporate IN (0, 1))
) STRICT, WITHOUT ROWID;
-- rate_ppm: corporate units per 1 unit, x 1e6
CREATE TABLE org_fx_rate(
  code TEXT NOT NULL REFERENCES org_currency(code),
  valid_from TEXT NOT NULL,
  rate_ppm INTEGER NOT NULL CHECK(rate_ppm > 0),
  PRIMARY KEY(code, valid_from)
) STRICT, WITHOUT ROWID;
CREATE TABLE org_person(
  id TEXT NOT NULL PRIMARY KEY,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  name TEXT NOT NULL,
  name_norm TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  phone TEXT,
  title TEXT,
  department TEXT,
  city TEXT,
  tz TEXT NOT NULL,
  locale TEXT NOT NULL,
  currency TEXT NOT NULL REFERENCES org_currency(code),
  hired_on TEXT NOT NULL,
  left_on TEXT
) STRICT, WITHOUT ROWID;
-- Repeated forms and tool calls answer with the first result (X-6). Outside the canonical state.
CREATE TABLE org_form_token(
  token TEXT NOT NULL,
  person_id TEXT NOT NULL,
  arguments_hash TEXT NOT NULL,
  operation TEXT NOT NULL,
  result TEXT NOT NULL,
  PRIMARY KEY(token, person_id, arguments_hash)
) STRICT, WITHOUT ROWID;
-- One row seals the episode (DESIGN §3). Outside the canonical state; no journal row.
CREATE TABLE desk_submission(
  one INTEGER NOT NULL PRIMARY KEY CHECK(one = 1),
  person_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK(status IN ('done', 'infeasible')),
  reason_code TEXT,
  answer TEXT,
  channel TEXT NOT NULL CHECK(channel IN ('ui', 'mcp', 'control')),
  instant TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The journal: what was asked, and what it changed. Append-only.
CREATE TABLE jrn_command(
  seq INTEGER NOT NULL PRIMARY KEY,
  instant TEXT NOT NULL,
  person_id TEXT,
  channel TEXT NOT NULL CHECK(channel IN ('ui', 'mcp', 'job', 'control')),
  operation TEXT NOT NULL,
  arguments TEXT NOT NULL
) STRICT;
CREATE TABLE jrn_effect(
  id INTEGER NOT NULL PRIMARY KEY,
  seq INTEGER NOT NULL REFERENCES jrn_command(seq),
  tbl TEXT NOT NULL,
  key TEXT NOT NULL,
  old TEXT,
  new TEXT
) STRICT;
CREATE INDEX jrn_effect_seq ON jrn_effect(seq);
CREATE TABLE jrn_open(
  one INTEGER NOT NULL PRIMARY KEY CHECK(one = 1),
  seq INTEGER NOT NULL,
  mode TEXT NOT NULL CHECK(mode IN ('work', 'undo', 'inject'))
) STRICT;
