"""Files of other users in a real browser: lying and polyglot ones run no script, and their types are not guessed.

The worst case is played: the files are opened with the rights of an account, as pages of their own and from a page of
the hub's own origin, in every element that could run or show them.
"""

import base64
import hashlib
import http.client
import ssl
import unittest

from playwright.sync_api import Error

from world import World, browser, new_context, until

HTML = "<html><body onload=\"new Image().src='/hit/N'\"><script>fetch('/hit/N');document.title='hit'</script>"
SVG = ("<svg xmlns='http://www.w3.org/2000/svg' onload=\"fetch('/hit/N')\"><script>fetch('/hit/N')</script>"
       "<foreignObject><body xmlns='http://www.w3.org/1999/xhtml'><img src='x' onerror=\"fetch('/hit/N')\"/></body>"
       "</foreignObject></svg>")
SCRIPT = "=1;fetch('/hit/N');/*"
STYLE = "*{}body{background:url(/hit/N)}"

# The beginning of a file of each type that a browser shows, and the type.
HEADS = {
    "image/png": b"\x89PNG\r\n\x1a\n", "image/gif": b"GIF89a", "image/jpeg": b"\xff\xd8\xff\xe0",
    "image/webp": b"RIFF\x10\0\0\0WEBP", "image/avif": b"\0\0\0\x1cftypavif", "audio/wav": b"RIFF\x10\0\0\0WAVE",
    "audio/mpeg": b"ID3\x03", "audio/ogg": b"OggS", "video/mp4": b"\0\0\0\x1cftypisom", "video/webm": b"\x1aE\xdf\xa3",
}
# The types that the hub finds by the content: where a beginning has several, that of the video.
SHOWN = {*HEADS, "video/ogg"}
DOCUMENTS = [
    "text/html", "application/xhtml+xml", "image/svg+xml", "text/xml", "application/pdf", "text/plain",
    "application/javascript", "text/css", "multipart/x-mixed-replace", "message/rfc822", "application/octet-stream",
    "text/html; charset=utf-7", "image/png, text/html", "IMAGE/PNG", "video/ogg", "application/x-unknown",
]
OPENINGS = [b"", b"\xef\xbb\xbf", b"<!--", b"\n \t"]


def lying_files():
    """Returns pairs of a declared type and the bytes: 60, and each of them differs."""
    files = []

    def add(kind, head, text):
        files.append((kind, head + text.replace("N", str(len(files))).encode()))

    # A true beginning, and behind it a document, a script, a style sheet.
    for kind, head in HEADS.items():
        for text in (HTML, SVG, SCRIPT):
            add(kind, head, text)
    # A type that the content denies.
    for kind in ("image/png", "image/gif", "image/jpeg", "audio/mpeg"):
        add(kind, b"", HTML)
    # A document that names itself.
    for kind in DOCUMENTS:
        add(kind, b"", SVG if "svg" in kind or "xml" in kind else HTML)
    for opening in OPENINGS[1:]:
        add("application/octet-stream", opening, HTML)
    add("text/html; charset=utf-16", "\ufeff".encode("utf-16-le"), HTML)
    files[-1] = (files[-1][0], HTML.replace("N", str(len(files) - 1)).encode("utf-16"))
    add("application/pdf", b"%PDF-1.7\n", HTML)
    add("text/html", b"GIF89a", HTML)
    add("image/gif", b"GIF87a=1;/*\0", "*/=0;fetch('/hit/N')//" + STYLE)
    add("text/css", b"", STYLE)
    add("application/javascript", b"", "fetch('/hit/N')")
    add("image/jpeg", b"\xff\xd8\xff\xe0/*", "*/=1;fetch('/hit/N')//" + HTML)
    return files


class HostileFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World()
        cls.addClassCleanup(cls.world.close)
        cls.browser = cls.enterClassContext(browser())
        cls.token = (cls.world.folder / "hub" / "tokens" / "ann.token").read_text().strip()
        cls.hub = f"https://127.0.0.1:{cls.world.hub_port}"
        cls.files = lying_files()
        connection = http.client.HTTPSConnection(
            "127.0.0.1", cls.world.hub_port,
            context=ssl.create_default_context(cafile=cls.world.folder / "hub" / "tls" / "ca.pem"))
        cls.paths = [cls.upload(connection, kind, data) for kind, data in cls.files]
        connection.close()

    @classmethod
    def upload(cls, connection, kind, data):
        digest = hashlib.sha256(data)
        connection.request("POST", "/v1/uploads", data, {
            "Authorization": f"Bearer {cls.token}", "Content-Type": kind,
            "Upload-Complete": "?1", "Upload-Length": str(len(data)),
            "Repr-Digest": f"sha-256=:{base64.b64encode(digest.digest()).decode()}:"})
        answer = connection.getresponse()
        text = answer.read()
        assert answer.status == 200, (kind, answer.status, text)
        return f"/v1/blobs/{digest.hexdigest()}"

    def setUp(self):
        context = new_context(
            self.browser, ignore_https_errors=True, extra_http_headers={"Authorization": f"Bearer {self.token}"})
        self.addCleanup(context.close)
        self.page = context.new_page()
        self.hits, self.answers = [], {}
        context.route("**/hit/*", lambda route: self.hits.append(route.request.url) or route.abort())
        self.page.on("response", lambda answer: self.answers.__setitem__(answer.url, answer))
        self.page.on("dialog", lambda dialog: self.hits.append(dialog.message) or dialog.dismiss())

    def show(self, body, content_type="text/html"):
        """Opens a page of the hub's own origin that the hub did not send."""
        self.page.route("**/page", lambda route: route.fulfill(body=body, content_type=content_type))
        self.page.goto(self.hub + "/page", wait_until="load")
        self.page.unroute("**/page")

    def test_sixty_files(self):
        self.assertEqual(len(self.files), 60)
        self.assertEqual(len(set(self.paths)), 60)

    def test_a_page_of_its_own_runs_nothing(self):
        shown = 0
        for (kind, _), path in zip(self.files, self.paths):
            try:
                self.page.goto(self.hub + path, wait_until="commit")
            except Error as error:
                # It is saved.
                self.assertRegex(str(error), "Download is starting|ERR_ABORTED", kind)
                continue
            shown += 1
            served = self.answers[self.hub + path].headers["content-type"]
            self.assertIn(served, SHOWN, kind)
            self.page.wait_for_load_state()
            self.assertEqual(self.page.evaluate("document.contentType"), served, kind)
            self.assertNotEqual(self.page.title(), "hit", kind)
        self.assertGreaterEqual(shown, 12)
        self.assertEqual(self.hits, [])

    def test_no_element_runs_or_guesses_one(self):
        loading = ["<script src='{0}'></script>", "<link rel='stylesheet' href='{0}'>", "<img src='{0}'>"]
        framing = ["<iframe src='{0}'></iframe>", "<object data='{0}'></object>", "<embed src='{0}'>"]
        bodies = ["".join(element.format(path) for path in self.paths for element in loading)]
        # A process of its own for each frame is expensive: one file in three gets one of each kind.
        bodies.append("".join(framing[index % 3].format(path) for index, path in enumerate(self.paths)))
        for body in bodies:
            self.show("<!doctype html><body>" + body)
            # The page has loaded: whatever was let through would have hit by now.
            self.assertEqual(self.hits, [])
        fetched = self.page.evaluate("""async (paths) => await Promise.all(paths.map(async (path) => {
            const answer = await fetch(path);
            return [answer.headers.get('content-type'), answer.headers.get('x-content-type-options'),
                    answer.headers.get('content-security-policy'), (await answer.blob()).type];
        }))""", self.paths)
        for (kind, _), (served, options, policy, seen) in zip(self.files, fetched):
            self.assertIn(served, {*SHOWN, "application/octet-stream"}, kind)
            self.assertEqual((options, policy, seen), ("nosniff", "sandbox; default-src 'none'", served), kind)

    def test_without_the_protection_they_run(self):
        """The control arm: the same files, with the type that they declare and nothing else."""
        for wanted in ("text/html", "image/svg+xml", "application/xhtml+xml"):
            index = next(index for index, (kind, _) in enumerate(self.files) if kind == wanted)
            self.hits.clear()
            self.show(self.files[index][1], wanted)
            until(f"the file that is {wanted} has run", lambda: self.page.evaluate("1") and self.hits)
        index = next(index for index, (_, data) in enumerate(self.files) if data.startswith(b"fetch("))
        self.hits.clear()
        self.page.route(f"**{self.paths[index]}", lambda route: route.fulfill(
            body=self.files[index][1], content_type="application/javascript"))
        self.show(f"<script src='{self.paths[index]}'></script>")
        until("the script has run", lambda: self.page.evaluate("1") and self.hits)


if __name__ == "__main__":
    unittest.main()
