// Gives the server's pages their hands. Every page reads and posts without this file.
import * as board from "./board.js";
import * as calendar from "./calendar.js";
import * as combobox from "./combobox.js";
import * as dialogs from "./dialogs.js";
import * as forms from "./forms.js";
import * as inline from "./inline.js";
import * as lists from "./lists.js";
import * as lookup from "./lookup.js";
import * as menus from "./menus.js";
import * as preview from "./preview.js";
import * as remember from "./remember.js";

function enhance(root) {
  combobox.enhance(root);
  lookup.enhance(root);
  calendar.enhance(root);
}

menus.start();
dialogs.start(enhance);
inline.start(enhance);
lists.start();
forms.start();
remember.start();
remember.restore();
enhance(document);
lists.enhance(document);
board.enhance(document);
preview.enhance(document);
