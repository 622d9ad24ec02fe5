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
