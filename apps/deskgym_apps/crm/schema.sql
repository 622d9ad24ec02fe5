-- Northbeam. Names, rules and invariants: I1-I11, CRM-1-CRM-14. Owners, actors and grantees are org_person ids.

-- Who may do what (CRM-3)
CREATE TABLE crm_role(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  parent_role_id TEXT REFERENCES crm_role(id)
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_profile(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  is_admin INTEGER NOT NULL DEFAULT 0 CHECK(is_admin IN (0, 1)),
  can_reopen INTEGER NOT NULL DEFAULT 0 CHECK(can_reopen IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_object_perm(
  profile_id TEXT NOT NULL REFERENCES crm_profile(id),
  object TEXT NOT NULL CHECK(object IN ('account', 'contact', 'opportunity', 'task', 'event', 'note')),
  can_create INTEGER NOT NULL,
  can_read INTEGER NOT NULL,
  can_edit INTEGER NOT NULL,
  can_delete INTEGER NOT NULL,
  view_all INTEGER NOT NULL DEFAULT 0,
  modify_all INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(profile_id, object),
  CHECK(can_edit <= can_read AND can_delete <= can_edit)
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_field_perm(
  profile_id TEXT NOT NULL REFERENCES crm_profile(id),
  object TEXT NOT NULL,
  field TEXT NOT NULL,
  access TEXT NOT NULL CHECK(access IN ('hidden', 'read')),
  PRIMARY KEY(profile_id, object, field)
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_user(
  person_id TEXT NOT NULL PRIMARY KEY REFERENCES org_person(id),
  profile_id TEXT NOT NULL REFERENCES crm_profile(id),
  role_id TEXT REFERENCES crm_role(id),
  manager_id TEXT REFERENCES org_person(id),
  is_active INTEGER NOT NULL DEFAULT 1 CHECK(is_active IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_group(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_group_member(
  group_id TEXT NOT NULL REFERENCES crm_group(id),
  member_kind TEXT NOT NULL CHECK(member_kind IN ('user', 'role', 'role_and_sub')),
  member_id TEXT NOT NULL,
  PRIMARY KEY(group_id, member_kind, member_id)
) STRICT, WITHOUT ROWID;
-- Organisation-wide default: 'parent' = the level on the parent account
CREATE TABLE crm_owd(
  object TEXT NOT NULL PRIMARY KEY CHECK(object IN ('account', 'contact', 'opportunity')),
  access TEXT NOT NULL CHECK(access IN ('private', 'read', 'write', 'parent')),
  hierarchy INTEGER NOT NULL DEFAULT 1 CHECK(hierarchy IN (0, 1))
) STRICT, WITHOUT ROWID;
-- Records whose owner has the source role are shared with the target group
CREATE TABLE crm_sharing_rule(
  id TEXT NOT NULL PRIMARY KEY,
  object TEXT NOT NULL CHECK(object IN ('account', 'contact', 'opportunity')),
  source_role_id TEXT NOT NULL REFERENCES crm_role(id),
  target_group_id TEXT NOT NULL REFERENCES crm_group(id),
  access TEXT NOT NULL CHECK(access IN ('read', 'write'))
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_record_share(
  object TEXT NOT NULL CHECK(object IN ('account', 'contact', 'opportunity')),
  record_id TEXT NOT NULL,
  person_id TEXT NOT NULL REFERENCES org_person(id),
  access TEXT NOT NULL CHECK(access IN ('read', 'write')),
  cause TEXT NOT NULL CHECK(cause IN ('manual', 'team')),
  PRIMARY KEY(object, record_id, person_id, cause)
) STRICT, WITHOUT ROWID;

-- Closed sets that people may choose from
CREATE TABLE crm_picklist(
  object TEXT NOT NULL,
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  sort INTEGER NOT NULL,
  is_default INTEGER NOT NULL DEFAULT 0 CHECK(is_default IN (0, 1)),
  is_active INTEGER NOT NULL DEFAULT 1 CHECK(is_active IN (0, 1)),
  PRIMARY KEY(object, field, value)
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_stage(
  name TEXT NOT NULL PRIMARY KEY,
  sort INTEGER NOT NULL UNIQUE,
  probability INTEGER NOT NULL CHECK(probability BETWEEN 0 AND 100),
  forecast_category TEXT NOT NULL CHECK(forecast_category IN ('Pipeline', 'Best Case', 'Commit', 'Closed', 'Omitted')),
  is_closed INTEGER NOT NULL,
  is_won INTEGER NOT NULL,
  CHECK(is_won <= is_closed),
  CHECK(is_won = 0 OR probability = 100)
) STRICT, WITHOUT ROWID;

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

-- Products: read only for now. Amounts are minor units of the entry's currency; qty_milli counts thousandths.
CREATE TABLE crm_product(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  code TEXT NOT NULL UNIQUE,
  family TEXT,
  is_active INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_pricebook(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  is_standard INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_pricebook_entry(
  id TEXT NOT NULL PRIMARY KEY,
  pricebook_id TEXT NOT NULL REFERENCES crm_pricebook(id),
  product_id TEXT NOT NULL REFERENCES crm_product(id),
  currency TEXT NOT NULL REFERENCES org_currency(code),
  unit_price INTEGER NOT NULL CHECK(unit_price >= 0),
  UNIQUE(pricebook_id, product_id, currency)
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_opportunity_line(
  id TEXT NOT NULL PRIMARY KEY,
  opportunity_id TEXT NOT NULL REFERENCES crm_opportunity(id),
  pricebook_entry_id TEXT NOT NULL REFERENCES crm_pricebook_entry(id),
  qty_milli INTEGER NOT NULL CHECK(qty_milli > 0),
  list_price INTEGER NOT NULL,
  unit_price INTEGER NOT NULL CHECK(unit_price >= 0),
  discount_bp INTEGER NOT NULL DEFAULT 0 CHECK(discount_bp BETWEEN 0 AND 10000),
  total INTEGER NOT NULL,
  sort INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_line_opportunity ON crm_opportunity_line(opportunity_id);

-- Activities: who_id is a contact, what_id an account or an opportunity (CRM-12)
CREATE TABLE crm_task(
  id TEXT NOT NULL PRIMARY KEY,
  subject TEXT NOT NULL CHECK(length(trim(subject)) > 0),
  subject_norm TEXT NOT NULL,
  kind TEXT NOT NULL DEFAULT 'Task' CHECK(kind IN ('Task', 'Call')),
  status TEXT NOT NULL,
  priority TEXT NOT NULL,
  due_date TEXT,
  duration_minutes INTEGER CHECK(duration_minutes BETWEEN 1 AND 1440),
  completed_at TEXT,
  who_id TEXT REFERENCES crm_contact(id),
  what_id TEXT,
  owner_id TEXT NOT NULL REFERENCES org_person(id),
  comments TEXT,
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES org_person(id),
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL REFERENCES org_person(id),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  is_deleted INTEGER NOT NULL DEFAULT 0 CHECK(is_deleted IN (0, 1)),
  deleted_at TEXT,
  deleted_by TEXT REFERENCES org_person(id),
  delete_batch TEXT,
  CHECK((status = 'Completed') = (completed_at IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_task_what ON crm_task(what_id);
CREATE INDEX crm_task_who ON crm_task(who_id);
CREATE INDEX crm_task_owner ON crm_task(owner_id);
CREATE INDEX crm_task_due ON crm_task(due_date);
CREATE TABLE crm_event(
  id TEXT NOT NULL PRIMARY KEY,
  subject TEXT NOT NULL CHECK(length(trim(subject)) > 0),
  subject_norm TEXT NOT NULL,
  start_at TEXT NOT NULL,
  end_at TEXT NOT NULL,
  location TEXT,
  who_id TEXT REFERENCES crm_contact(id),
  what_id TEXT,
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
  delete_batch TEXT,
  CHECK(end_at >= start_at)
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_event_what ON crm_event(what_id);
CREATE INDEX crm_event_who ON crm_event(who_id);
CREATE INDEX crm_event_end ON crm_event(end_at);
CREATE TABLE crm_email_message(
  id TEXT NOT NULL PRIMARY KEY,
  thread_id TEXT NOT NULL,
  direction TEXT NOT NULL CHECK(direction IN ('in', 'out')),
  from_addr TEXT NOT NULL,
  to_addrs TEXT NOT NULL,
  subject TEXT NOT NULL,
  subject_norm TEXT NOT NULL,
  body TEXT NOT NULL,
  sent_at TEXT NOT NULL,
  who_id TEXT REFERENCES crm_contact(id),
  what_id TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_email_what ON crm_email_message(what_id);
CREATE INDEX crm_email_who ON crm_email_message(who_id);
CREATE TABLE crm_note(
  id TEXT NOT NULL PRIMARY KEY,
  title TEXT NOT NULL CHECK(length(trim(title)) > 0),
  body TEXT NOT NULL,
  owner_id TEXT NOT NULL REFERENCES org_person(id),
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
-- A note is attached to one or several accounts, contacts or opportunities
CREATE TABLE crm_note_link(
  note_id TEXT NOT NULL REFERENCES crm_note(id),
  record_id TEXT NOT NULL,
  PRIMARY KEY(note_id, record_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_note_link_record ON crm_note_link(record_id);

-- Written by the app itself
CREATE TABLE crm_field_history(
  id TEXT NOT NULL PRIMARY KEY,
  object TEXT NOT NULL,
  record_id TEXT NOT NULL,
  field TEXT NOT NULL,
  old_value TEXT,
  new_value TEXT,
  changed_at TEXT NOT NULL,
  changed_by TEXT NOT NULL REFERENCES org_person(id)
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_history_record ON crm_field_history(record_id);
CREATE TABLE crm_notification(
  id TEXT NOT NULL PRIMARY KEY,
  person_id TEXT NOT NULL REFERENCES org_person(id),
  kind TEXT NOT NULL,
  object TEXT NOT NULL,
  record_id TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES org_person(id)
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_notification_person ON crm_notification(person_id);
