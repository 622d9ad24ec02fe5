"""Validation rules (row 15): a record for which all criteria of an active rule hold is refused, on every path."""

from __future__ import annotations

import json

from ....kit.call import Context, canonical_json
from ....kit.errors import FieldError, Invalid
from ....kit.operations import command
from ...rules_setup import criteria_form
from ..catalog import catalog
from ..conditions import Condition, where
from ..inputs import Created, Deleted, DeleteInput, Updated
from ..kinds import KINDS, Kind
from ..records import RULES
from .criteria import checked, whole
from .inputs import UpdateValidationRuleInput, ValidationRuleInput
from .settings import SettingChange, SettingType, create_setting, delete_setting, update_setting


def _rules(change: SettingChange) -> None:
    after, given = change.after, change.given
    thing = str(after["object"])
    change.need_unique("name", object=thing)
    if given.get("criteria") is not None:
        kept = checked(change, thing, given["criteria"])
        after["criteria"] = canonical_json(kept)
        after["conditions"] = criteria_form(change.ctx.store, after)
    elif "criteria" in given:
        change.refuse("criteria", "Criteria cannot be empty")
    if after["field"] is not None and after["field"] not in catalog(thing).fields:
        change.refuse("field", f'{thing} has no field "{after["field"]}"')


RULE = SettingType(KINDS["validation_rule"], _rules)


@command("crm")
def create_validation_rule(ctx: Context, values: ValidationRuleInput) -> Created:
    """Create a validation rule: a record for which all criteria hold is refused with the message."""
    return create_setting(ctx, RULE, values)


@command("crm")
def update_validation_rule(ctx: Context, values: UpdateValidationRuleInput) -> Updated:
    """Change a validation rule, or switch it on or off. Records that stand are not looked at again."""
    return update_setting(ctx, RULE, values.id, values.row_version, values.values)


@command("crm")
def delete_validation_rule(ctx: Context, values: DeleteInput) -> Deleted:
    """Delete a validation rule for good."""
    return delete_setting(ctx, RULE.kind, values)


def check_rules(ctx: Context, kind: Kind, record_id: str) -> None:
    """Hold the active rules of a kind against a record as it was just written. Raises Invalid; nothing stays then."""
    sql = "SELECT * FROM crm_validation_rule WHERE object = ? AND is_active = 1 ORDER BY name, id"
    faults = []
    for rule in ctx.store.all(sql, (kind.name,)):
        selection = whole(ctx, kind.name)
        parts = [
            Condition(field=item["field"], op=item["op"], value=item.get("value"))
            for item in json.loads(rule["criteria"])
        ]
        test = where(selection, parts, None)
        rest = f"WHERE t.id = :id AND t.is_deleted = 0 AND ({test})"
        if selection.all(f"SELECT 1 FROM {selection.source(test)} {rest}", id=record_id):
            faults.append(FieldError(rule["field"], rule["message"]))
    if faults:
        raise Invalid(faults)


RULES.append(check_rules)
