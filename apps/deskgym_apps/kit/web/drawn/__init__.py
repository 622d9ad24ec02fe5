"""What a page holds by the dozen or the hundred, written here and not in a template: a macro call costs more than what
it writes. The templates show the same pieces under the names of README.md.
"""

from .cards import activity_entry, board_card, detail_entry, related_entry
from .fields import field
from .menus import avatar, badge, hidden, menu_button, menu_list, row_menu
from .rows import table_rows

__all__ = [
    "activity_entry",
    "avatar",
    "badge",
    "board_card",
    "detail_entry",
    "field",
    "hidden",
    "menu_button",
    "menu_list",
    "related_entry",
    "row_menu",
    "table_rows",
]
