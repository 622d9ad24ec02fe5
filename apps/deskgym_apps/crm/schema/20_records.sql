-- Records
CREATE TABLE crm_account(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL CHECK(length(trim(name)) > 0),
  name_norm TEXT NOT NULL,
  account_number TEXT,
  parent_id TEXT REFERENCES crm_account(id),
  type TEXT,
  industry TEXT,
  rating TEXT,
  phone TEXT,
  phone_digits TEXT,
  website TEXT,
  bill_street TEXT,
  bill_city TEXT,
  bill_state TEXT,
  bill_postcode TEXT,
  bill_country TEXT,
  ship_street TEXT,
  ship_city TEXT,
  ship_state TEXT,
  ship_postcode TEXT,
  ship_country TEXT,
  annual_revenue INTEGER CHECK(annual_revenue >= 0),
  employees INTEGER CHECK(employees >= 0),
  currency TEXT NOT NULL REFERENCES org_currency(code),
  region TEXT,
  sla_tier TEXT,
  last_activity_on TEXT,
  owner_id TEXT NOT NULL REFERENCES org_person(id),
  description TEXT,
  master_record_id TEXT REFERENCES crm_account(id),
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES org_person(id),
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL REFERENCES org_person(id),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  is_deleted INTEGER NOT NULL DEFAULT 0 CHECK(is_deleted IN (0, 1)),
  deleted_at TEXT,
  deleted_by TEXT REFERENCES org_person(id),
  delete_batch TEXT,
  CHECK(parent_id IS NULL OR parent_id <> id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX crm_account_number ON crm_account(account_number) WHERE is_deleted = 0 AND account_number IS NOT NULL;
CREATE INDEX crm_account_norm ON crm_account(name_norm);
CREATE INDEX crm_account_owner ON crm_account(owner_id);
CREATE INDEX crm_account_parent ON crm_account(parent_id);
CREATE TABLE crm_contact(
  id TEXT NOT NULL PRIMARY KEY,
  salutation TEXT,
  first_name TEXT,
  last_name TEXT NOT NULL CHECK(length(trim(last_name)) > 0),
  name_norm TEXT NOT NULL,
  account_id TEXT REFERENCES crm_account(id),
  reports_to_id TEXT REFERENCES crm_contact(id),
  title TEXT,
  department TEXT,
  email TEXT,
  email_norm TEXT,
  phone TEXT,
  phone_digits TEXT,
  mobile TEXT,
  mobile_digits TEXT,
  mail_street TEXT,
  mail_city TEXT,
  mail_state TEXT,
  mail_postcode TEXT,
  mail_country TEXT,
  do_not_call INTEGER NOT NULL DEFAULT 0 CHECK(do_not_call IN (0, 1)),
  email_opt_out INTEGER NOT NULL DEFAULT 0 CHECK(email_opt_out IN (0, 1)),
  lead_source TEXT,
  owner_id TEXT NOT NULL REFERENCES org_person(id),
  description TEXT,
  master_record_id TEXT REFERENCES crm_contact(id),
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES org_person(id),
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL REFERENCES org_person(id),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  is_deleted INTEGER NOT NULL DEFAULT 0 CHECK(is_deleted IN (0, 1)),
  deleted_at TEXT,
  deleted_by TEXT REFERENCES org_person(id),
  delete_batch TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_contact_email ON crm_contact(email_norm) WHERE is_deleted = 0;
CREATE INDEX crm_contact_norm ON crm_contact(name_norm);
CREATE INDEX crm_contact_account ON crm_contact(account_id);
CREATE INDEX crm_contact_reports ON crm_contact(reports_to_id);
CREATE TABLE crm_account_contact(
  account_id TEXT NOT NULL REFERENCES crm_account(id),
  contact_id TEXT NOT NULL REFERENCES crm_contact(id),
  role TEXT,
  is_direct INTEGER NOT NULL DEFAULT 0 CHECK(is_direct IN (0, 1)),
  PRIMARY KEY(account_id, contact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_account_contact_contact ON crm_account_contact(contact_id);
CREATE TABLE crm_opportunity(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL CHECK(length(trim(name)) > 0),
  name_norm TEXT NOT NULL,
  account_id TEXT REFERENCES crm_account(id),
  stage TEXT NOT NULL REFERENCES crm_stage(name),
  probability INTEGER NOT NULL CHECK(probability BETWEEN 0 AND 100),
  forecast_category TEXT NOT NULL,
  amount INTEGER CHECK(amount >= 0),
  currency TEXT NOT NULL REFERENCES org_currency(code),
  expected_revenue INTEGER,
  close_date TEXT NOT NULL,
  type TEXT,
  lead_source TEXT,
  next_step TEXT,
  lost_reason TEXT,
  lost_detail TEXT,
  closed_at TEXT,
  last_stage_change_at TEXT NOT NULL,
  pricebook_id TEXT REFERENCES crm_pricebook(id),
  last_activity_on TEXT,
  owner_id TEXT NOT NULL REFERENCES org_person(id),
  description TEXT,
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES org_person(id),
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL REFERENCES org_person(id),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  is_deleted INTEGER NOT NULL DEFAULT 0 CHECK(is_deleted IN (0, 1)),
  deleted_at TEXT,
  deleted_by TEXT REFERENCES org_person(id),
  delete_batch TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_opportunity_norm ON crm_opportunity(name_norm);
CREATE INDEX crm_opportunity_account ON crm_opportunity(account_id);
CREATE INDEX crm_opportunity_owner ON crm_opportunity(owner_id);
CREATE INDEX crm_opportunity_stage ON crm_opportunity(stage);
CREATE TABLE crm_opportunity_contact_role(
  opportunity_id TEXT NOT NULL REFERENCES crm_opportunity(id),
  contact_id TEXT NOT NULL REFERENCES crm_contact(id),
  role TEXT,
  is_primary INTEGER NOT NULL DEFAULT 0 CHECK(is_primary IN (0, 1)),
  PRIMARY KEY(opportunity_id, contact_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX crm_ocr_one_primary ON crm_opportunity_contact_role(opportunity_id) WHERE is_primary = 1;
CREATE INDEX crm_ocr_contact ON crm_opportunity_contact_role(contact_id);
