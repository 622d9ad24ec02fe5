-- Cases (CRM-8). owner_id is a person or a queue; due instants count business minutes of sla_tier.
CREATE TABLE crm_case(
  id TEXT NOT NULL PRIMARY KEY,
  number TEXT NOT NULL UNIQUE CHECK(length(number) = 8),
  subject TEXT NOT NULL CHECK(length(trim(subject)) > 0),
  subject_norm TEXT NOT NULL,
  description TEXT,
  status TEXT NOT NULL,
  priority TEXT NOT NULL,
  origin TEXT,
  type TEXT,
  reason TEXT,
  account_id TEXT REFERENCES crm_account(id),
  contact_id TEXT REFERENCES crm_contact(id),
  product_id TEXT REFERENCES crm_product(id),
  parent_id TEXT REFERENCES crm_case(id),
  owner_id TEXT NOT NULL,
  is_escalated INTEGER NOT NULL DEFAULT 0 CHECK(is_escalated IN (0, 1)),
  resolution TEXT,
  sla_tier TEXT,
  first_response_at TEXT,
  first_response_due TEXT,
  resolution_due TEXT,
  paused_minutes INTEGER NOT NULL DEFAULT 0 CHECK(paused_minutes >= 0),
  closed_at TEXT,
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES org_person(id),
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL REFERENCES org_person(id),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  is_deleted INTEGER NOT NULL DEFAULT 0 CHECK(is_deleted IN (0, 1)),
  deleted_at TEXT,
  deleted_by TEXT REFERENCES org_person(id),
  delete_batch TEXT,
  CHECK(parent_id IS NULL OR parent_id <> id),
  CHECK((status = 'Closed') = (closed_at IS NOT NULL)),
  CHECK((status = 'Closed') = (resolution IS NOT NULL)),
  CHECK(status <> 'Closed' OR reason IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_case_account ON crm_case(account_id);
CREATE INDEX crm_case_contact ON crm_case(contact_id);
CREATE INDEX crm_case_owner ON crm_case(owner_id);
CREATE INDEX crm_case_parent ON crm_case(parent_id);
-- Comments are never changed or withdrawn: the customer may have read the public ones
CREATE TABLE crm_case_comment(
  id TEXT NOT NULL PRIMARY KEY,
  case_id TEXT NOT NULL REFERENCES crm_case(id),
  body TEXT NOT NULL CHECK(length(trim(body)) > 0),
  is_public INTEGER NOT NULL DEFAULT 0 CHECK(is_public IN (0, 1)),
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES org_person(id)
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_case_comment_case ON crm_case_comment(case_id);
-- Who gets a new case or lead: the first entry whose conditions all hold, else the default owner
CREATE TABLE crm_assignment_rule(
  id TEXT NOT NULL PRIMARY KEY,
  object TEXT NOT NULL CHECK(object IN ('case', 'lead')),
  name TEXT NOT NULL UNIQUE,
  default_owner_id TEXT NOT NULL,
  is_active INTEGER NOT NULL DEFAULT 1 CHECK(is_active IN (0, 1)),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX crm_assignment_active ON crm_assignment_rule(object) WHERE is_active = 1;
CREATE TABLE crm_assignment_entry(
  id TEXT NOT NULL PRIMARY KEY,
  rule_id TEXT NOT NULL REFERENCES crm_assignment_rule(id),
  sort INTEGER NOT NULL,
  criteria TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0)
) STRICT, WITHOUT ROWID;
