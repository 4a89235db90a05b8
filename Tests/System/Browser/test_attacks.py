"""Pages of other sites, in the same browser as the status page: none of them changes or shows anything.

Each attack is made by a real page of another origin. The control arm is the page's own form, which does work, sent from
the same browser; and the status page logs the requests that reached it, so that every attack is known to have run. All
of them run twice: against a page that is open to this machine, and against one with a token and a logged-in user.
"""

import collections
import http.server
import pathlib
import re
import tempfile
import threading
import unittest

from playwright.sync_api import Error as PlaywrightError

from world import World, browser, new_context, until


class Attacker:
    """Serves pages of another origin, and records the requests."""

    def __init__(self):
        self.pages = {}
        self.asked = []
        self.cookies = []
        attacker = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                attacker.asked.append(self.path)
                attacker.cookies += self.headers.get_all("Cookie", [])
                body = attacker.pages.get(self.path.split("?")[0], "").encode()
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


TOKEN = "correct-horse-battery-staple"


class Attacks(unittest.TestCase):
    options = []

    @classmethod
    def setUpClass(cls):
        cls.world = World(["--show-bodies", "--log-level", "debug", *cls.options])
        cls.addClassCleanup(cls.world.close)
        cls.attacker = Attacker()
        cls.addClassCleanup(cls.attacker.close)
        # Foreign names that resolve to this machine; `rebind.test` even to the status page.
        cls.browser = cls.enterClassContext(browser(
            "--host-resolver-rules=MAP rebind.test 127.0.0.1, MAP evil.test 127.0.0.1"))
        # The messages that the control arm deleted, which are the only ones ever deleted.
        cls.control = set()
        cls.message = cls.world.fail("the words of a stranger")[0]

    def setUp(self):
        self.context = new_context(self.browser)
        self.addCleanup(self.context.close)
        self.page = self.context.new_page()
        self.log_in()
        # The user has the page open, like an operator.
        self.page.goto(self.base + f"/confirm?do=delete&id={self.message}")
        self.secret = self.page.input_value("input[name=csrf]")

    def log_in(self):
        self.base = self.world.address

    def refused(self):
        """Returns status, method and route of each request that the page refused, in their order."""
        return [(int(status), method, route) for method, route, status in re.findall(
            r"refused .*?method=(\S+) route=(\S+) status=(\d+)", self.world.page.log.read_text())]

    def expect_refused(self, before, *wanted):
        """Waits until the page has refused these requests since it had refused `before` of them.

        A browser may repeat failed requests, and requests of an earlier page may arrive late: there may be more.
        The messages that were read and deleted show that nothing was let through.
        """
        until(f"the page refused {wanted}",
              lambda: not collections.Counter(wanted) - collections.Counter(self.refused()[before:]))

    def tearDown(self):
        self.assertEqual(self.world.state(self.message), "error")
        self.assertEqual(self.deleted(), self.control)

    def deleted(self):
        return {action["message"] for action in self.world.deletions()}

    def evil(self, path, body, host="evil.test", page=None):
        """Opens a page of another site."""
        self.attacker.pages[path] = f"<!DOCTYPE html><html><body>{body}</body></html>"
        page = page or self.context.new_page()
        page.goto(f"http://{host}:{self.attacker.port}{path}")
        return page

    def form(self, target, secret, encoding="application/x-www-form-urlencoded"):
        return (f'<form id="f" method="post" action="{target}/actions" enctype="{encoding}">'
                f'<input name="csrf" value="{secret}"><input name="do" value="delete">'
                f'<input name="id" value="{self.message}"></form>'
                '<script>document.getElementById("f").submit()</script>')

    def test_the_pages_own_form_works(self):
        """The control arm, with a separate message."""
        own = self.world.fail("to be deleted")[0]
        self.page.goto(self.base + f"/confirm?do=delete&id={own}")
        self.page.click("#yes")
        self.page.wait_for_url("**/failed?notice=*")
        until("it is gone", lambda: own in self.deleted())
        type(self).control = {own}

    def test_a_form_of_another_site(self):
        for encoding in ("application/x-www-form-urlencoded", "multipart/form-data", "text/plain"):
            page = self.context.new_page()
            with page.expect_response(lambda answer: answer.url.endswith("/actions")) as seen:
                # Even with the secret, which the attacker cannot know.
                self.evil("/form", self.form(self.base, self.secret, encoding), page=page)
            self.assertEqual(seen.value.status, 403)
            self.assertEqual(seen.value.request.all_headers().get("origin"), f"http://evil.test:{self.attacker.port}")
            page.close()

    def test_the_same_host_on_another_port(self):
        page = self.context.new_page()
        with page.expect_response(lambda answer: answer.url.endswith("/actions")) as seen:
            self.evil("/port", self.form(self.base, self.secret), host="127.0.0.1", page=page)
        self.assertEqual(seen.value.status, 403)
        # SameSite does not distinguish ports; the browser names the origin itself.
        self.assertEqual(seen.value.request.all_headers().get("sec-fetch-site"), "same-site")

    def fetch(self, page, url, options):
        return page.evaluate("""async ([url, options]) => {
            try {
                const answer = await fetch(url, options);
                return [answer.type, answer.status, answer.type === "opaque" ? "" : await answer.text()];
            } catch (error) { return ["error", 0, ""]; }
        }""", [url, options])

    def test_a_fetch_without_cors(self):
        for host in ("evil.test", "127.0.0.1"):
            page = self.evil("/fetch", "fetching", host=host)
            before = len(self.refused())
            body = f"csrf={self.secret}&do=delete&id={self.message}"
            for kind in ("application/x-www-form-urlencoded", "text/plain"):
                options = {"method": "POST", "mode": "no-cors", "credentials": "include", "body": body,
                           "headers": {"Content-Type": kind}}
                self.assertIn(self.fetch(page, self.base + "/actions", options)[0], ("opaque", "error"))
            self.expect_refused(before, (403, "POST", "actions"), (403, "POST", "actions"))
            before = len(self.refused())
            for path in ("/failed", "/api/failed", f"/messages/{self.message}", "/delete-actions.csv"):
                for mode in ("cors", "no-cors"):
                    kind, _, text = self.fetch(page, self.base + path, {"mode": mode})
                    self.assertIn(kind, ("opaque", "error"))
                    self.assertNotIn("stranger", text)
            self.expect_refused(before, *[(403, "GET", route) for route in (
                "failed", "apiFailed", "message", "deleteActionsCSV") for _ in range(2)])
            page.close()

    def rebound(self, path):
        """Returns a path of the status page under a name of another site."""
        return self.base.replace("127.0.0.1", "rebind.test") + path

    def test_dns_rebinding(self):
        """The other site's name resolves to the status page: to the browser both are one origin."""
        page = self.context.new_page()
        answer = page.goto(self.rebound("/failed"))
        self.assertEqual(answer.status, 421)
        self.assertNotIn("stranger", page.content())
        for path, options in (
            (self.rebound("/failed"), {}), (self.rebound("/api/failed"), {}),
            (self.rebound("/actions"), {"method": "POST", "body": f"csrf={self.secret}&do=delete&id={self.message}",
                          "headers": {"Content-Type": "application/x-www-form-urlencoded"}}),
        ):
            kind, status, text = self.fetch(page, path, options)
            self.assertEqual((kind, status), ("basic", 421), path)
            self.assertNotIn("stranger", text)

    def test_a_frame(self):
        body = "".join(
            f'<{tag} {attribute}="{self.base}/confirm?do=delete&id={self.message}"></{tag}>'
            for tag, attribute in (("iframe", "src"), ("object", "data"), ("embed", "src")))
        page = self.context.new_page()
        for host in ("evil.test", "127.0.0.1"):
            statuses = []

            def is_last(answer):
                if "/confirm" in answer.url:
                    statuses.append(answer.status)
                return len(statuses) >= 3

            with page.expect_response(is_last):
                self.evil("/frame", body, host=host, page=page)
            for frame in page.frames[1:]:
                self.assertNotIn("Delete 1 message", until("a frame holds still", lambda: self.content(frame)))
            self.assertEqual(set(statuses), {403})

    def content(self, frame):
        """Returns the content of a frame; nothing while it navigates to another document."""
        try:
            return "gone" if frame.is_detached() else frame.content()
        except PlaywrightError:
            return None

    def test_images_scripts_and_links_by_get(self):
        target = f"{self.base}/actions?csrf={self.secret}&do=delete&id={self.message}"
        read = f"{self.base}/api/failed"
        page = self.context.new_page()
        before = len(self.refused())
        self.evil("/image", f'<img src="{target}"><script src="{read}"></script><link rel="stylesheet" href="{read}">'
                  f'<img src="{self.base}/delete-actions.csv"><video src="{target}"></video>', page=page)
        # The image and the video at the same address, the script and the style sheet, and the export.
        self.expect_refused(
            before, (405, "GET", "actions"), (403, "GET", "apiFailed"), (403, "GET", "deleteActionsCSV"))
        self.assertIn("/image", self.attacker.asked)
        # A link leads a user there; it only asks for confirmation.
        page.goto(f"{self.base}/confirm?do=delete&id={self.message}",
                  referer=f"http://evil.test:{self.attacker.port}/")
        self.assertIn("Delete 1 message?", page.content())
        answer = page.goto(target)
        self.assertEqual(answer.status, 405)

    def test_events_of_another_site(self):
        before = len(self.refused())
        page = self.evil("/events", "listening")
        state = page.evaluate("""(url) => new Promise((resolve) => {
            const events = new EventSource(url);
            events.onerror = () => resolve("refused");
            events.addEventListener("up", () => resolve("heard"));
        })""", self.base + "/events")
        self.assertEqual(state, "refused")
        self.expect_refused(before, (403, "GET", "events"))


class AttacksOnALogin(Attacks):
    """The browser has a login, and sends its cookie to other ports of the same host."""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="cw-")
        cls.addClassCleanup(folder.cleanup)
        token = pathlib.Path(folder.name) / "token"
        token.write_text(TOKEN + "\n")
        token.chmod(0o600)
        token.chmod(0o600)
        cls.options = ["--token-file", token]
        super().setUpClass()

    def log_in(self):
        self.page.goto(self.world.address + "/login")
        self.page.fill("#token", TOKEN)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url(self.world.address + "/s/*/")
        self.base = self.page.url.removesuffix("/")

    def test_the_cookie_does_not_reach_another_port(self):
        self.attacker.cookies.clear()
        for path in ("/", "/failed", "/s/", "/s/" + "0" * 64 + "/"):
            self.evil(path, "listening", host="127.0.0.1").close()
        self.assertEqual(self.attacker.cookies, [])
        # The control arm: a cookie for every path of the host reaches the other ports.
        self.context.add_cookies([{"name": "plain", "value": "1", "url": self.world.address}])
        self.evil("/", "listening", host="127.0.0.1")
        self.assertEqual(set(self.attacker.cookies), {"plain=1"})

    def test_even_where_the_cookie_comes_along_it_helps_nobody(self):
        # With the address of the login, which no other site can know.
        page = self.context.new_page()
        with page.expect_response(lambda answer: answer.url.endswith("/actions")) as seen:
            self.evil("/cookie", self.form(self.base, self.secret), host="127.0.0.1", page=page)
        self.assertIn(f"causeway-{self.world.port}=", seen.value.request.all_headers().get("cookie", ""))
        self.assertEqual(seen.value.status, 403)


if __name__ == "__main__":
    unittest.main()
