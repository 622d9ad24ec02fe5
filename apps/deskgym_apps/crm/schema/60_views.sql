-- Saved list views (CRM-6). `conditions` is the normal form of filters, logic and scope (rules_views.py)
CREATE TABLE crm_list_view(
  id TEXT NOT NULL PRIMARY KEY,
  object TEXT NOT NULL CHECK(
    object IN ('account', 'contact', 'opportunity', 'lead', 'case', 'task', 'event', 'note', 'article')
  ),
  name TEXT NOT NULL CHECK(length(trim(name)) > 0),
  name_norm TEXT NOT NULL,
  owner_id TEXT NOT NULL REFERENCES org_person(id),
  visibility TEXT NOT NULL DEFAULT 'private' CHECK(visibility IN ('private', 'groups', 'all')),
  scope TEXT NOT NULL DEFAULT 'all' CHECK(scope IN ('mine', 'all')),
  filter_logic TEXT,
  conditions TEXT NOT NULL,
  columns TEXT NOT NULL,
  sort TEXT NOT NULL DEFAULT '[]',
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES org_person(id),
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL REFERENCES org_person(id),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  UNIQUE(object, owner_id, name_norm)
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_list_view_filter(
  list_view_id TEXT NOT NULL REFERENCES crm_list_view(id),
  pos INTEGER NOT NULL CHECK(pos BETWEEN 1 AND 10),
  field TEXT NOT NULL,
  type TEXT NOT NULL,
  op TEXT NOT NULL,
  value TEXT,
  PRIMARY KEY(list_view_id, pos)
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_list_view_share(
  list_view_id TEXT NOT NULL REFERENCES crm_list_view(id),
  group_id TEXT NOT NULL REFERENCES crm_group(id),
  PRIMARY KEY(list_view_id, group_id)
) STRICT, WITHOUT ROWID;
-- Which view a person's list opens with: a matter of layout, outside the canonical state (X-11)
CREATE TABLE crm_ui_pinned_view(
  person_id TEXT NOT NULL,
  object TEXT NOT NULL,
  list_view_id TEXT NOT NULL,
  PRIMARY KEY(person_id, object)
) STRICT, WITHOUT ROWID;
