"""Agents of one's own: `module:Class` names a class that is put beside the agents that come with deskgym."""

from __future__ import annotations

import os
import sys
from importlib import import_module

from deskgym_apps.kit.errors import nearest

from ..agents import AGENTS
from ..errors import DeskgymError


def enlist(name: str) -> None:
    """Make `module:Class` known under that very name; a name without a colon is left to the agents that there are.

    The module is looked for in the current folder too. Raises DeskgymError: not_found for a module or class that is
    not there, usage for a module that fails or a class without `run`.
    """
    if ":" not in name or name in AGENTS:
        return
    module_name, _, class_name = name.partition(":")
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)
    try:
        module = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] != module_name.split(".")[0]:
            raise _failing(module_name, error) from error
        hint = f"run from the folder that holds {module_name.split('.')[0]}, or put that folder on PYTHONPATH"
        raise DeskgymError("not_found", f'there is no module "{module_name}"', hint) from error
    except Exception as error:  # the module is the user's: whatever it raises is told
        raise _failing(module_name, error) from error
    found = getattr(module, class_name, None)
    if found is None:
        classes = [key for key, value in vars(module).items() if isinstance(value, type)]
        raise DeskgymError("not_found", f'{module_name} has no class "{class_name}".{nearest(class_name, classes)}')
    if not isinstance(found, type) or not callable(getattr(found, "run", None)):
        raise DeskgymError("usage", f"{name} is no agent", "an agent is a class with a method run(self, trial)")
    AGENTS[name] = found


def _failing(module: str, error: Exception) -> DeskgymError:
    return DeskgymError("usage", f"{module} cannot be imported: {type(error).__name__}: {error}", "mend the module")
