-- Activities: who_id is a contact or a lead, what_id an account, an opportunity or a case (CRM-12)
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
  who_id TEXT,
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
  who_id TEXT,
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
  who_id TEXT,
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
-- A note is attached to one or several accounts, contacts, opportunities, leads or cases
CREATE TABLE crm_note_link(
  note_id TEXT NOT NULL REFERENCES crm_note(id),
  record_id TEXT NOT NULL,
  PRIMARY KEY(note_id, record_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_note_link_record ON crm_note_link(record_id);
