-- Imports from files (CRM-5): the job with its counts (I10), and what became of each row. cells: a failed row as it was
CREATE TABLE crm_import_job(
  id TEXT NOT NULL PRIMARY KEY,
  object TEXT NOT NULL CHECK(object IN ('account', 'contact', 'lead', 'opportunity')),
  mode TEXT NOT NULL CHECK(mode IN ('insert', 'update', 'upsert')),
  match_field TEXT,
  duplicate_action TEXT NOT NULL CHECK(duplicate_action IN ('skip', 'update', 'create')),
  file_name TEXT NOT NULL,
  columns TEXT NOT NULL,
  mapping TEXT NOT NULL,
  options TEXT NOT NULL,
  total INTEGER NOT NULL,
  created INTEGER NOT NULL CHECK(created >= 0),
  updated INTEGER NOT NULL CHECK(updated >= 0),
  skipped INTEGER NOT NULL CHECK(skipped >= 0),
  failed INTEGER NOT NULL CHECK(failed >= 0),
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES org_person(id),
  is_undone INTEGER NOT NULL DEFAULT 0 CHECK(is_undone IN (0, 1)),
  undone_at TEXT,
  undone_by TEXT REFERENCES org_person(id),
  CHECK(created + updated + skipped + failed = total)
) STRICT, WITHOUT ROWID;
CREATE INDEX crm_import_job_by ON crm_import_job(created_by);
CREATE TABLE crm_import_row(
  job_id TEXT NOT NULL REFERENCES crm_import_job(id),
  row_no INTEGER NOT NULL CHECK(row_no > 0),
  outcome TEXT NOT NULL CHECK(outcome IN ('created', 'updated', 'skipped', 'failed')),
  record_id TEXT,
  error TEXT,
  cells TEXT,
  PRIMARY KEY(job_id, row_no)
) STRICT, WITHOUT ROWID;
