"""What `access` asks of the store about the acting person (CRM-3)."""

from __future__ import annotations

USER = """
SELECT u.*, p.name AS profile, p.is_admin, r.name AS role, p.can_reopen OR EXISTS (SELECT 1 FROM crm_user_permset g
  JOIN crm_permset s ON s.id = g.permission_set_id WHERE g.person_id = u.person_id AND s.can_reopen = 1) AS can_reopen
FROM crm_user u JOIN crm_profile p ON p.id = u.profile_id LEFT JOIN crm_role r ON r.id = u.role_id
WHERE u.person_id = ?
"""
TEAM = """
WITH RECURSIVE below(id) AS (
  SELECT id FROM crm_role WHERE parent_role_id = :role_id
  UNION SELECT r.id FROM crm_role r JOIN below b ON r.parent_role_id = b.id
)
SELECT u.person_id FROM crm_user u JOIN below ON u.role_id = below.id ORDER BY u.person_id
"""
MINE = """
WITH RECURSIVE above(id) AS (
  SELECT :role_id
  UNION SELECT r.parent_role_id FROM crm_role r JOIN above a ON r.id = a.id WHERE r.parent_role_id IS NOT NULL
), mine(id) AS (
  SELECT group_id FROM crm_group_member
  WHERE (member_kind = 'user' AND member_id = :me)
     OR (member_kind = 'role' AND member_id = :role_id)
     OR (member_kind = 'role_and_sub' AND member_id IN (SELECT id FROM above))
)
"""
MY_GROUPS = MINE + "SELECT DISTINCT id AS group_id FROM mine ORDER BY id"
MY_QUEUES = f"""{MINE}
SELECT DISTINCT q.id, q.queue_object FROM crm_group q JOIN mine ON mine.id = q.id WHERE q.kind = 'queue' ORDER BY q.id
"""
# The rules whose target the person is in, taken apart into users, roles and roles with those below
SHARED_OWNERS = f"""{MINE}, rules AS (
  SELECT * FROM crm_sharing_rule WHERE (target_kind = 'group' AND target_id IN (SELECT id FROM mine))
    OR (target_kind = 'role' AND target_id = :role_id)
    OR (target_kind = 'role_and_sub' AND target_id IN (SELECT id FROM above))
), parts(object, access, kind, id) AS (
  SELECT object, access, source_kind, source_id FROM rules WHERE source_kind <> 'group'
  UNION SELECT s.object, s.access, m.member_kind, m.member_id
  FROM rules s JOIN crm_group_member m ON s.source_kind = 'group' AND m.group_id = s.source_id
), roles(object, access, id, deep) AS (
  SELECT object, access, id, kind = 'role_and_sub' FROM parts WHERE kind <> 'user'
  UNION SELECT s.object, s.access, r.id, 1 FROM crm_role r JOIN roles s ON s.deep = 1 AND r.parent_role_id = s.id
)
SELECT object, access, id AS person_id FROM parts WHERE kind = 'user'
UNION SELECT s.object, s.access, u.person_id FROM roles s JOIN crm_user u ON u.role_id = s.id
ORDER BY 1, 2, 3
"""
HELD = """
SELECT * FROM {table} WHERE (holder_kind = 'profile' AND holder_id = :profile) OR (holder_kind = 'permset' AND
  holder_id IN (SELECT permission_set_id FROM crm_user_permset WHERE person_id = :me)) ORDER BY object
"""
