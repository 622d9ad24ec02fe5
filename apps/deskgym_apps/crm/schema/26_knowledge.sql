-- Knowledge base: articles; ordinary users see those that are published and valid
CREATE TABLE crm_article(
  id TEXT NOT NULL PRIMARY KEY,
  number TEXT NOT NULL UNIQUE CHECK(length(number) = 8),
  title TEXT NOT NULL CHECK(length(trim(title)) > 0),
  title_norm TEXT NOT NULL,
  body TEXT NOT NULL,
  category TEXT,
  status TEXT NOT NULL CHECK(status IN ('Draft', 'Published', 'Archived')),
  visibility TEXT NOT NULL CHECK(visibility IN ('Internal', 'Public')),
  version INTEGER NOT NULL DEFAULT 1 CHECK(version > 0),
  valid_from TEXT,
  valid_to TEXT,
  owner_id TEXT NOT NULL REFERENCES org_person(id),
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES org_person(id),
  updated_at TEXT NOT NULL,
  updated_by TEXT NOT NULL REFERENCES org_person(id),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  is_deleted INTEGER NOT NULL DEFAULT 0 CHECK(is_deleted IN (0, 1)),
  deleted_at TEXT,
  deleted_by TEXT REFERENCES org_person(id),
  delete_batch TEXT,
  CHECK(valid_from IS NULL OR valid_to IS NULL OR valid_to >= valid_from)
) STRICT, WITHOUT ROWID;
-- What each version said, the present one included
CREATE TABLE crm_article_version(
  article_id TEXT NOT NULL REFERENCES crm_article(id),
  version INTEGER NOT NULL CHECK(version > 0),
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at TEXT NOT NULL,
  created_by TEXT NOT NULL REFERENCES org_person(id),
  PRIMARY KEY(article_id, version)
) STRICT, WITHOUT ROWID;
