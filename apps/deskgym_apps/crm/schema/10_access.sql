-- Northbeam. Names, rules and invariants: I1-I11, CRM-1-CRM-14. Owners, actors and grantees are org_person ids.

-- Who may do what (CRM-3)
CREATE TABLE crm_role(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  parent_role_id TEXT REFERENCES crm_role(id),
  is_vp INTEGER NOT NULL DEFAULT 0 CHECK(is_vp IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_profile(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  is_admin INTEGER NOT NULL DEFAULT 0 CHECK(is_admin IN (0, 1)),
  can_reopen INTEGER NOT NULL DEFAULT 0 CHECK(can_reopen IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_object_perm(
  profile_id TEXT NOT NULL REFERENCES crm_profile(id),
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
-- Public groups receive shares; a queue owns records of its object until a member takes them
CREATE TABLE crm_group(
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL DEFAULT 'public_group' CHECK(kind IN ('public_group', 'queue')),
  email TEXT,
  queue_object TEXT CHECK(queue_object IN ('case')),
  CHECK((kind = 'queue') = (queue_object IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_group_member(
  group_id TEXT NOT NULL REFERENCES crm_group(id),
  member_kind TEXT NOT NULL CHECK(member_kind IN ('user', 'role', 'role_and_sub')),
  member_id TEXT NOT NULL,
  PRIMARY KEY(group_id, member_kind, member_id)
) STRICT, WITHOUT ROWID;
-- Organisation-wide default: 'parent' = the level on the parent account
CREATE TABLE crm_owd(
  object TEXT NOT NULL PRIMARY KEY CHECK(object IN ('account', 'contact', 'opportunity', 'lead', 'case')),
  access TEXT NOT NULL CHECK(access IN ('private', 'read', 'write', 'parent')),
  hierarchy INTEGER NOT NULL DEFAULT 1 CHECK(hierarchy IN (0, 1))
) STRICT, WITHOUT ROWID;
-- Records whose owner has the source role are shared with the target group
CREATE TABLE crm_sharing_rule(
  id TEXT NOT NULL PRIMARY KEY,
  object TEXT NOT NULL CHECK(object IN ('account', 'contact', 'opportunity', 'lead', 'case')),
  source_role_id TEXT NOT NULL REFERENCES crm_role(id),
  target_group_id TEXT NOT NULL REFERENCES crm_group(id),
  access TEXT NOT NULL CHECK(access IN ('read', 'write'))
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_record_share(
  object TEXT NOT NULL CHECK(object IN ('account', 'contact', 'opportunity', 'lead', 'case')),
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
