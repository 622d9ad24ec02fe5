-- Who must say yes to which records (row 27). `conditions` is the normal form of the entry criteria (rules_views.py). The
-- approver is the manager of who submits, one person, a public group or queue, or whoever leads the record's owner
CREATE TABLE crm_approval_process(
  id TEXT NOT NULL PRIMARY KEY,
  object TEXT NOT NULL CHECK(object IN ('account', 'opportunity', 'lead', 'case', 'quote')),
  name TEXT NOT NULL CHECK(length(trim(name)) > 0),
  is_active INTEGER NOT NULL DEFAULT 1 CHECK(is_active IN (0, 1)),
  criteria TEXT NOT NULL,
  conditions TEXT NOT NULL,
  approver_kind TEXT NOT NULL CHECK(approver_kind IN ('manager', 'user', 'group', 'leader')),
  approver_id TEXT,
  approve_field TEXT,
  approve_value TEXT,
  reject_field TEXT,
  reject_value TEXT,
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  UNIQUE(object, name),
  CHECK((approver_kind IN ('user', 'group')) = (approver_id IS NOT NULL)),
  CHECK((approve_field IS NULL) = (approve_value IS NULL)),
  CHECK((reject_field IS NULL) = (reject_value IS NULL))
) STRICT, WITHOUT ROWID;
-- One submission of a record and its end. The record is locked while it is pending. `approver_id` is NULL for a leader
CREATE TABLE crm_approval_request(
  id TEXT NOT NULL PRIMARY KEY,
  process_id TEXT NOT NULL REFERENCES crm_approval_process(id),
  object TEXT NOT NULL CHECK(object IN ('account', 'opportunity', 'lead', 'case', 'quote')),
  record_id TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'Pending' CHECK(status IN ('Pending', 'Approved', 'Rejected', 'Recalled')),
  approver_kind TEXT NOT NULL CHECK(approver_kind IN ('manager', 'user', 'group', 'leader')),
  approver_id TEXT,
  request_comment TEXT,
  submitted_at TEXT NOT NULL,
  submitted_by TEXT NOT NULL REFERENCES org_person(id),
  is_decided INTEGER NOT NULL DEFAULT 0 CHECK(is_decided IN (0, 1)),
  decided_at TEXT,
  decided_by TEXT REFERENCES org_person(id),
  comment TEXT,
  CHECK((status = 'Pending') = (is_decided = 0)),
  CHECK((is_decided = 1) = (decided_at IS NOT NULL)),
  CHECK((is_decided = 1) = (decided_by IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX crm_approval_pending ON crm_approval_request(record_id) WHERE status = 'Pending';
CREATE INDEX crm_approval_record ON crm_approval_request(record_id);
