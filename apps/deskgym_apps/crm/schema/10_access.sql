-- Northbeam. Names, rules and invariants: I1-I11, CRM-1-CRM-14. Owners, actors and grantees are org_person ids.

-- Who may do what (CRM-3)
CREATE TABLE crm_role(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  parent_role_id TEXT REFERENCES crm_role(id),
  is_vp INTEGER NOT NULL DEFAULT 0 CHECK(is_vp IN (0, 1)),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0)
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_profile(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  is_admin INTEGER NOT NULL DEFAULT 0 CHECK(is_admin IN (0, 1)),
  can_reopen INTEGER NOT NULL DEFAULT 0 CHECK(can_reopen IN (0, 1)),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0)
) STRICT, WITHOUT ROWID;
-- What people may do beyond their profile
CREATE TABLE crm_permset(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  description TEXT,
  can_reopen INTEGER NOT NULL DEFAULT 0 CHECK(can_reopen IN (0, 1)),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0)
) STRICT, WITHOUT ROWID;
-- Rights of a profile or of a permission set; what a person may do is the union of theirs
CREATE TABLE crm_object_perm(
  holder_kind TEXT NOT NULL CHECK(holder_kind IN ('profile', 'permset')),
  holder_id TEXT NOT NULL,
  object TEXT NOT NULL CHECK(object IN
    ('account', 'contact', 'opportunity', 'quote', 'product', 'pricebook', 'lead', 'case', 'task', 'event', 'note',
    'article')),
  can_create INTEGER NOT NULL,
  can_read INTEGER NOT NULL,
  can_edit INTEGER NOT NULL,
  can_delete INTEGER NOT NULL,
  view_all INTEGER NOT NULL DEFAULT 0,
  modify_all INTEGER NOT NULL DEFAULT 0,
  can_export INTEGER NOT NULL DEFAULT 0,
  can_mass INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(holder_kind, holder_id, object),
  CHECK(can_edit <= can_read AND can_delete <= can_edit)
) STRICT, WITHOUT ROWID;
-- A profile withholds fields (hidden, read); a permission set gives them back (read, edit)
CREATE TABLE crm_field_perm(
  holder_kind TEXT NOT NULL CHECK(holder_kind IN ('profile', 'permset')),
  holder_id TEXT NOT NULL,
  object TEXT NOT NULL,
  field TEXT NOT NULL,
  access TEXT NOT NULL CHECK(access IN ('hidden', 'read', 'edit')),
  PRIMARY KEY(holder_kind, holder_id, object, field),
  CHECK(access <> CASE holder_kind WHEN 'profile' THEN 'edit' ELSE 'hidden' END)
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_user(
  person_id TEXT NOT NULL PRIMARY KEY REFERENCES org_person(id),
  profile_id TEXT NOT NULL REFERENCES crm_profile(id),
  role_id TEXT REFERENCES crm_role(id),
  manager_id TEXT REFERENCES org_person(id),
  is_active INTEGER NOT NULL DEFAULT 1 CHECK(is_active IN (0, 1)),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0)
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_user_permset(
  id TEXT NOT NULL PRIMARY KEY,
  person_id TEXT NOT NULL REFERENCES crm_user(person_id),
  permission_set_id TEXT NOT NULL REFERENCES crm_permset(id),
  UNIQUE(person_id, permission_set_id)
) STRICT, WITHOUT ROWID;
-- Public groups receive shares; a queue owns records of its object until a member takes them
CREATE TABLE crm_group(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL DEFAULT 'public_group' CHECK(kind IN ('public_group', 'queue')),
  email TEXT,
  queue_object TEXT CHECK(queue_object IN ('case')),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  CHECK((kind = 'queue') = (queue_object IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_group_member(
  id TEXT NOT NULL PRIMARY KEY,
  group_id TEXT NOT NULL REFERENCES crm_group(id),
  member_kind TEXT NOT NULL CHECK(member_kind IN ('user', 'role', 'role_and_sub')),
  member_id TEXT NOT NULL,
  UNIQUE(group_id, member_kind, member_id)
) STRICT, WITHOUT ROWID;
-- Organisation-wide default: 'parent' = the level on the parent account
CREATE TABLE crm_owd(
  object TEXT NOT NULL PRIMARY KEY CHECK(object IN ('account', 'contact', 'opportunity', 'lead', 'case')),
  access TEXT NOT NULL CHECK(access IN ('private', 'read', 'write', 'parent')),
  hierarchy INTEGER NOT NULL DEFAULT 1 CHECK(hierarchy IN (0, 1))
) STRICT, WITHOUT ROWID;
-- Records whose owner is in the source are shared with everybody in the target
CREATE TABLE crm_sharing_rule(
  id TEXT NOT NULL PRIMARY KEY,
  object TEXT NOT NULL CHECK(object IN ('account', 'contact', 'opportunity', 'lead', 'case')),
  source_kind TEXT NOT NULL CHECK(source_kind IN ('role', 'role_and_sub', 'group')),
  source_id TEXT NOT NULL,
  target_kind TEXT NOT NULL CHECK(target_kind IN ('role', 'role_and_sub', 'group')),
  target_id TEXT NOT NULL,
  access TEXT NOT NULL CHECK(access IN ('read', 'write')),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0)
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_record_share(
  object TEXT NOT NULL CHECK(object IN ('account', 'contact', 'opportunity', 'lead', 'case')),
  record_id TEXT NOT NULL,
  grantee_kind TEXT NOT NULL CHECK(grantee_kind IN ('user', 'group')),
  grantee_id TEXT NOT NULL,
  cause TEXT NOT NULL CHECK(cause IN ('manual', 'team')),
  access TEXT NOT NULL CHECK(access IN ('read', 'write')),
  PRIMARY KEY(object, record_id, grantee_kind, grantee_id, cause)
) STRICT, WITHOUT ROWID;

-- `conditions` is the normal form of the criteria (rules_views.py). A record that is written such that all conditions hold is refused with the message
CREATE TABLE crm_validation_rule(
  id TEXT NOT NULL PRIMARY KEY,
  object TEXT NOT NULL,
  name TEXT NOT NULL,
  is_active INTEGER NOT NULL DEFAULT 1 CHECK(is_active IN (0, 1)),
  criteria TEXT NOT NULL,
  conditions TEXT NOT NULL,
  message TEXT NOT NULL CHECK(length(trim(message)) > 0),
  field TEXT,
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  UNIQUE(object, name)
) STRICT, WITHOUT ROWID;

-- Closed sets that people may choose from
CREATE TABLE crm_picklist(
  id TEXT NOT NULL PRIMARY KEY,
  object TEXT NOT NULL,
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  sort INTEGER NOT NULL,
  is_default INTEGER NOT NULL DEFAULT 0 CHECK(is_default IN (0, 1)),
  is_active INTEGER NOT NULL DEFAULT 1 CHECK(is_active IN (0, 1)),
  row_version INTEGER NOT NULL DEFAULT 1 CHECK(row_version > 0),
  UNIQUE(object, field, value)
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
