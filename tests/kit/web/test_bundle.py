"""The kit's script modules as one: all of them, each once, after what it imports."""

from __future__ import annotations

import pytest

from deskgym_apps.kit.web.assets import HERE, manifest
from deskgym_apps.kit.web.bundle import bundle

KIT = {
    "kit": 'import * as menus from "./menus.js";\nimport { uid } from "./dom.js";\nmenus.start(uid());',
    "menus": 'import { icon, uid } from "./dom.js";\nexport async function start(id) {}\nexport class Menu {}',
    "dom": "let last = 0;\nexport function uid() {}\nexport function icon() {}",
}


def test_modules_come_once_each_after_what_they_import() -> None:
    assert bundle(KIT, "kit") == (
        "const _dom = (() => {\nlet last = 0;\nfunction uid() {}\nfunction icon() {}\nreturn { uid, icon };\n})();\n"
        "const _menus = (() => {\nconst { icon, uid } = _dom;\nasync function start(id) {}\nclass Menu {}\n"
        "return { start, Menu };\n})();\n"
        "const _kit = (() => {\nconst menus = _menus;\nconst { uid } = _dom;\nmenus.start(uid());\n"
        "return {  };\n})();\n"
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('import { uid } from "./kit.js";', "imports itself"),
        ('import { uid } from "./nowhere.js";', "does not exist"),
        ('import uid from "./menus.js";', "cannot be bundled"),
        ('import "./menus.js";', "cannot be bundled"),
        ("export const uid = 1;", "cannot be bundled"),
        ("export { uid };", "cannot be bundled"),
    ],
)
def test_what_cannot_be_bundled_is_refused(line: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        bundle(KIT | {"dom": line}, "kit")


def test_a_page_gets_every_module_of_the_kit_in_one_file() -> None:
    scripts = [path for path in manifest() if path.startswith("js/")]
    assert scripts == ["js/kit.js"]
    text = manifest()["js/kit.js"].body.decode()
    names = sorted(path.stem for path in (HERE / "js").glob("*.js"))
    assert sorted(line.split()[1][1:] for line in text.splitlines() if line.startswith("const _")) == names
    assert not [line for line in text.splitlines() if line.startswith(("import", "export"))]
