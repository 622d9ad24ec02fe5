"""A small site for the browser's tests: plain pages, one a behaviour, on a loopback port."""

from __future__ import annotations

import html
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl

COMBOBOX = """
<span id="stage-label">Stage</span>
<button id="stage" role="combobox" aria-labelledby="stage-label" aria-expanded="false" aria-controls="stage-list"
 aria-haspopup="listbox">Prospecting</button>
<div id="stage-list" role="listbox" hidden></div>
<script>
const trigger = document.getElementById("stage"), list = document.getElementById("stage-list");
function show(open) {
  trigger.setAttribute("aria-expanded", open); list.hidden = !open; list.textContent = "";
  if (open) for (const name of ["Prospecting", "Negotiation / Review", "Closed Won"]) {
    const option = document.createElement("div");
    option.setAttribute("role", "option"); option.textContent = name; option.id = name;
    option.setAttribute("aria-selected", name === trigger.textContent);
    option.onclick = () => { trigger.textContent = name; show(false); };
    list.append(option);
  }
}
trigger.onclick = () => show(list.hidden);
trigger.onkeydown = (event) => { if (event.key === "Escape") show(false); };
</script>"""

LOOKUP = """
<label for="account">Account</label>
<input id="account" role="combobox" aria-expanded="false" aria-controls="account-list" aria-autocomplete="list">
<ul id="account-list" role="listbox" hidden></ul>
<script>
const field = document.getElementById("account"), found = document.getElementById("account-list");
field.oninput = async () => {
  document.documentElement.dataset.busy = 1;
  const names = await (await fetch("/slow.json")).json();
  found.textContent = "";
  for (const name of names.filter((name) => name.startsWith(field.value))) {
    const option = document.createElement("li");
    option.setAttribute("role", "option"); option.textContent = name;
    option.onclick = () => { field.value = name; found.hidden = true; };
    found.append(option);
  }
  found.hidden = false;
  document.documentElement.dataset.busy = 0;
};
</script>"""

HEAR = """<p role="status" id="heard"></p><script>
const say = (text) => { document.getElementById("heard").textContent += text + ";"; };
</script>"""

PAGES = {
    "/": '<a href="/two">Second page</a> <a href="/two" target="_blank">Second page in a tab</a>'
    '<a href="/slow">Slow page</a> <button onclick="say(\'pressed\')">Press</button>'
    '<button disabled>Frozen</button> <button style="visibility:hidden" id="unseen">Unseen</button>' + HEAR,
    "/two": '<a href="/">First page</a>',
    "/controls": '<label>Name <input value="old"></label> <label>Note <textarea></textarea></label>'
    '<label>Day <input type="date"></label> <label>Fixed <input readonly value="x"></label>'
    '<label><input type="checkbox"> Active</label> <button role="switch" aria-checked="false"'
    " onclick=\"this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')\">Alerts</button>"
    '<label><input type="radio" name="r"> One</label><label><input type="radio" name="r" checked> Two</label>'
    '<label>Rating <select><option value="h">Hot</option><option value="w">Warm</option>'
    "<option disabled>Frozen</option></select></label>"
    "<label>Tags <select multiple><option>red</option><option>green</option><option>blue</option></select></label>"
    '<div contenteditable role="textbox" aria-label="Body">text</div>',
    "/combobox": COMBOBOX,
    "/lookup": LOOKUP,
    "/covered": '<button style="position:absolute;left:40px;top:60px;width:100px;height:30px">Below</button>'
    '<div role="dialog" aria-label="Notice" style="position:absolute;inset:0;background:#fff">Notice</div>',
    "/partly": '<button style="position:absolute;left:40px;top:60px;width:100px;height:30px" onclick="say(\'hit\')">'
    'Half</button><div style="position:absolute;left:80px;top:0;width:300px;height:200px;background:#ccc"></div>'
    + HEAR,
    "/far": '<div style="height:3000px"></div><button onclick="say(\'far\')">Far</button>'
    '<div style="height:500px"></div>'
    '<div style="position:fixed;bottom:0;left:0;width:100%;height:80px;background:#eee">Bar</div>' + HEAR,
    "/pointer": "<button onmouseenter=\"say('over')\" ondblclick=\"say('double')\" onauxclick=\"say('aux')\""
    " onclick=\"if (event.shiftKey) say('shift')\" oncontextmenu=\"say('menu')\">Target</button>"
    '<div id="a" draggable="true" style="width:90px;height:40px">Card</div>'
    '<div role="group" aria-label="Column" style="width:200px;height:90px;background:#eee"'
    ' ondragover="event.preventDefault()" ondrop="say(\'dropped\')">Column</div>' + HEAR,
    "/keys": '<input aria-label="Keys" onkeydown="say(event.key)">' + HEAR,
    "/scroll": '<div style="height:4000px;width:3000px">tall</div>'
    '<div role="region" aria-label="Box" style="position:fixed;top:10px;left:10px;width:200px;height:100px;'
    'overflow:auto" onscroll="document.title = \'box \' + this.scrollTop"><p style="height:900px">inner</p></div>'
    '<script>addEventListener("scroll", () => { document.title = scrollX + " " + scrollY; });</script>',
    "/upload": "<label>Paper "
    '<input type="file" onchange="say(this.files[0].name + \' \' + this.files[0].size)"></label>' + HEAR,
    "/busy": "<button onclick=\"document.documentElement.dataset.busy=1; fetch('/slow.json').then((r) => r.json())"
    ".then(() => { say('loaded'); document.documentElement.dataset.busy=0; })\">Load</button>" + HEAR,
    "/stuck": '<button onclick="document.documentElement.dataset.busy=1">Hang</button>',
    "/vanish": '<button onclick="this.remove()">Gone</button><button>Stays</button>',
    "/form": '<form method="post" action="/echo"><label>Word <input name="word"></label><button>Send</button></form>',
    "/dialogs": "<button onclick=\"say(confirm('Really?'))\">Ask</button>" + HEAR,
    "/frames": '<iframe src="/two" title="Inner"></iframe>',
    "/away": '<a href="OTHER/secret">Other port</a> <a href="file:///etc/hostname">A file</a>'
    ' <a href="/redirect">Redirect</a> <a href="javascript:say(\'script\')">Script</a>'
    "<button onclick=\"window.open('OTHER/secret')\">Open other</button>"
    "<button onclick=\"window.open('data:text/html,hi')\">Open data</button>"
    "<button onclick=\"location = 'view-source:' + location\">Source</button>"
    '<a href="/file.csv">Download</a> <a href="/nothing">Nothing</a> <a href="/jump">Jump</a>' + HEAR,
    "/jump": '<meta http-equiv="refresh" content="0; url=OTHER/secret"><p>Jumping</p>',
    "/reach": "<p role=status id=r></p><script>document.documentElement.dataset.busy = 1; (async () => {"
    "const out = []; const tries = ['OTHER/secret', 'http://localhost:PORT/secret', '/two'];"
    "for (const url of tries) out.push(await fetch(url, {mode: 'no-cors'}).then(() => 'yes', () => 'no'));"
    "for (const url of ['ws://127.0.0.1:OTHERPORT/', 'ws://127.0.0.1:PORT/']) out.push(await new Promise((done) => {"
    "const s = new WebSocket(url); s.onopen = () => done('yes'); s.onerror = () => done('no'); }));"
    "document.getElementById('r').textContent = out.join(' '); document.documentElement.dataset.busy = 0; })()"
    "</script><img src='OTHER/secret' alt=''><iframe src='OTHER/secret' title=x></iframe>",
    "/store": "<p role=status id=r></p><script>document.getElementById('r').textContent = [document.cookie, "
    "localStorage.length, Date(), navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone].join(' | ');"
    "document.cookie = 'seen=1'; localStorage.seen = 1;</script>",
    "/opener": "<button onclick=\"window.open('/two')\">Open</button>",
}


@dataclass
class Site:
    """A running site. `hits` are the paths that were asked for."""

    port: int
    other: int = 0
    hits: list[str] = field(default_factory=list)
    neighbour: Site | None = None
    front: str = ""  # what the page at / holds besides

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def page(self, path: str) -> bytes | None:
        """The markup of a page, or None where there is none."""
        body = PAGES.get(path)
        if path.startswith("/many"):
            rows = (f'<li><a href="/two">Item {n}</a> <button>Edit {n}</button></li>' for n in range(200))
            body = f"<ul>{''.join(rows)}</ul>"
        if body is None:
            return None
        body += self.front if path == "/" else ""
        body = body.replace("OTHERPORT", str(self.other)).replace("PORT", str(self.port))
        body = body.replace("OTHER", f"http://127.0.0.1:{self.other}")
        title = html.escape(path.strip("/") or "index")
        head = f'<!doctype html><html lang="en" data-busy="0"><meta charset="utf-8"><title>{title}</title>'
        return f"{head}<h1>{title}</h1>{body}</html>".encode()


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

        def _send(self, status: int, body: bytes = b"", **headers: str) -> None:
            self.send_response(status)
            for name, value in ({"Content_Type": "text/html"} | headers).items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            site.hits.append(self.path)
            if self.path in ("/slow", "/slow.json"):
                threading.Event().wait(0.25)
            if self.path == "/slow.json":
                names = b'["Aldercroft Ltd, Leeds", "Aldercroft Ltd, York", "Bramley Foods, Hull"]'
                self._send(200, names, Content_Type="application/json")
            elif self.path == "/redirect":
                self._send(302, Location=f"http://127.0.0.1:{site.other}/secret")
            elif self.path == "/nothing":
                self._send(204)
            elif self.path == "/file.csv":
                self._send(200, b"a,b", Content_Type="text/csv", Content_Disposition="attachment; filename=file.csv")
            else:
                page = site.page("/two" if self.path == "/slow" else self.path)
                self._send(404 if page is None else 200, page or b"<h1>not found</h1>")

        def do_POST(self) -> None:
            data = parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode())
            site.hits.append(f"POST {self.path} {data}")
            threading.Event().wait(0.03)
            self._send(303, Location="/two")

    return Handler


@contextmanager
def serve() -> Iterator[Site]:
    """Serve the site on a free loopback port."""
    site = Site(0)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(site))
    server.daemon_threads = True
    site.port = server.server_port
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
