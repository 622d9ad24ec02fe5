-- Which records may be the same (row 14): each rule holds where all of its criteria do. criteria: [{"field", "method"}]
CREATE TABLE crm_matching_rule(
  id TEXT NOT NULL PRIMARY KEY,
  object TEXT NOT NULL CHECK(object IN ('account', 'contact', 'lead')),
  name TEXT NOT NULL CHECK(length(trim(name)) > 0),
  criteria TEXT NOT NULL,
  action_create TEXT NOT NULL CHECK(action_create IN ('allow', 'warn', 'block')),
  action_edit TEXT NOT NULL CHECK(action_edit IN ('allow', 'warn', 'block')),
  is_active INTEGER NOT NULL DEFAULT 1 CHECK(is_active IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_matching_object ON crm_matching_rule(object);
