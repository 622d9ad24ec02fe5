-- Dashboards: widgets that show saved reports as whoever looks may run them (CRM-13)
CREATE TABLE crm_dashboard(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL CHECK(length(trim(name)) > 0),
  name_norm TEXT NOT NULL,
  folder TEXT NOT NULL DEFAULT 'Unfiled' CHECK(length(trim(folder)) > 0),
  owner_id TEXT NOT NULL REFERENCES org_person(id),
  visibility TEXT NOT NULL DEFAULT 'private' CHECK(visibility IN ('private', 'public')),
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES org_person(id),
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL REFERENCES org_person(id),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  UNIQUE(owner_id, name_norm)
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_dashboard_widget(
  dashboard_id TEXT NOT NULL REFERENCES crm_dashboard(id),
  pos INTEGER NOT NULL CHECK(pos BETWEEN 1 AND 9),
  report_id TEXT NOT NULL REFERENCES crm_report(id),
  kind TEXT NOT NULL CHECK(kind IN ('metric', 'bar', 'column', 'line', 'table')),
  title TEXT,
  PRIMARY KEY(dashboard_id, pos)
) STRICT, WITHOUT ROWID;
