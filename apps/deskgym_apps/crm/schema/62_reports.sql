-- Saved reports and dashboards (CRM-13). `spec` is the definition as said, `definition` its normal form (rules_reports.py)
CREATE TABLE crm_report(
  id TEXT NOT NULL PRIMARY KEY,
  object TEXT NOT NULL,
  name TEXT NOT NULL CHECK(length(trim(name)) > 0),
  name_norm TEXT NOT NULL,
  description TEXT,
  folder TEXT NOT NULL DEFAULT 'Unfiled' CHECK(length(trim(folder)) > 0),
  owner_id TEXT NOT NULL REFERENCES org_person(id),
  visibility TEXT NOT NULL DEFAULT 'private' CHECK(visibility IN ('private', 'public', 'editable')),
  format TEXT NOT NULL CHECK(format IN ('tabular', 'summary', 'matrix')),
  spec TEXT NOT NULL,
  definition TEXT NOT NULL,
  chart TEXT NOT NULL DEFAULT 'none' CHECK(chart IN ('none', 'bar', 'column', 'line')),
  chart_measure TEXT,
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES org_person(id),
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL REFERENCES org_person(id),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  CHECK((chart = 'none') = (chart_measure IS NULL)),
  UNIQUE(owner_id, name_norm)
) STRICT, WITHOUT ROWID;
