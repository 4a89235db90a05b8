"""Everybody can use the pages: axe-core finds nothing that stands in anyone's way."""

import pathlib
import tempfile
import unittest

from axe_playwright_python.sync_playwright import Axe

from world import World, browser, until

PAGES = ["/", "/outbox", "/failed", "/messages?q=general", "/delete-actions", "/messages", "/confirm?do=delete-all",
         "/outbox?channel=empty", "/nowhere"]


class Accessibility(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World(["--show-bodies"])
        cls.addClassCleanup(cls.world.close)
        cls.browser = cls.enterClassContext(browser())
        failed = cls.world.fail("one", "two", "three")
        cls.world.control("POST", "/v1/delete", {"ids": failed[:1], "by": "cli"})
        done = cls.world.send("general", "a quiet one")[0]
        until("it is there", lambda: cls.world.state(done) == "synced")
        cls.world.control("POST", "/v1/pause", {})
        cls.world.send("general", "this one waits")
        cls.pages = PAGES + [f"/messages/{failed[1]}", f"/messages/{done}"]

    def open(self, **options):
        context = self.browser.new_context(**options)
        self.addCleanup(context.close)
        return context.new_page()

    def check(self, scheme, width, height):
        page = self.open(color_scheme=scheme, viewport={"width": width, "height": height})
        for path in self.pages:
            page.goto(self.world.address + path)
            found = Axe().run(page).response["violations"]
            grave = [(each["id"], each["help"], each["nodes"][0]["html"][:200]) for each in found
                     if each["impact"] in ("serious", "critical", "moderate")]
            self.assertEqual(grave, [], path)

    def test_light_and_wide(self):
        self.check("light", 1280, 900)

    def test_dark_and_wide(self):
        self.check("dark", 1280, 900)

    def test_on_a_phone(self):
        self.check("light", 390, 844)

    def test_dark_on_a_phone(self):
        self.check("dark", 390, 844)

    def grave(self, page):
        return [(each["id"], each["help"], each["nodes"][0]["html"][:200])
                for each in Axe().run(page).response["violations"]
                if each["impact"] in ("serious", "critical", "moderate")]

    def test_a_page_with_a_notice(self):
        page = self.open()
        message = self.world.send("general", "to be deleted")[0]
        page.goto(self.world.address + f"/confirm?do=delete&id={message}")
        page.click("#yes")
        page.wait_for_selector("main .note[role=status]")
        self.assertEqual(self.grave(page), [])

    def test_the_login_and_the_page_without_a_daemon(self):
        with tempfile.TemporaryDirectory(prefix="cw-") as folder:
            token = pathlib.Path(folder) / "token"
            token.write_text("correct-horse-battery-staple\n")
            other = World(["--token-file", token])
            self.addCleanup(other.close)
            for scheme in ("light", "dark"):
                page = self.open(color_scheme=scheme)
                page.goto(other.address + "/login")
                page.fill("#token", "a wrong one")
                page.keyboard.press("Enter")
                page.wait_for_selector(".note[role=alert]")
                self.assertEqual(self.grave(page), [])
                page.fill("#token", "correct-horse-battery-staple")
                page.keyboard.press("Enter")
                page.wait_for_selector("#overview")
                other.daemon.stop()
                self.assertEqual(page.goto(other.address + "/outbox").status, 503)
                self.assertEqual(self.grave(page), [])
                other.start_daemon()

    def test_a_table_is_one_on_a_phone(self):
        page = self.open(viewport={"width": 390, "height": 844})
        for path in ("/", "/outbox", "/failed", "/delete-actions", "/messages?q=general"):
            page.goto(self.world.address + path)
            # The rows are shown as cards there, which takes a table its meaning where no role says it.
            self.assertEqual(page.locator("tbody tr").first.evaluate("(row) => getComputedStyle(row).display"), "block")
            for role in ("table", "row", "rowheader", "cell"):
                self.assertGreater(page.locator(f"table [role={role}], table[role={role}]").count(), 0, path)

    def test_on_paper(self):
        page = self.open(viewport={"width": 794, "height": 1123})
        page.emulate_media(media="print")
        page.goto(self.world.address + "/failed")
        # A table stays one, with the whole id and time; what cannot be used is left out.
        self.assertEqual(page.locator("tbody tr").first.evaluate("(row) => getComputedStyle(row).display"),
                         "table-row")
        row = page.locator("tbody tr").first
        self.assertRegex(row.inner_text(), r"[0-9a-f]{8}-[0-9a-f]{4}-")
        self.assertRegex(row.inner_text(), r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC")
        for name in ("#nav", "#chosen > .bar", ".pick", ".pulse", "#pause", ".pages"):
            for each in page.locator(name).all():
                self.assertFalse(each.is_visible(), name)
        self.assertEqual(page.locator(".scroll").evaluate("(box) => getComputedStyle(box).overflowX"), "visible")
        # The same on a screen, as a control arm.
        page.emulate_media(media="screen")
        self.assertTrue(page.locator("#nav").is_visible())
        self.assertNotRegex(page.locator("tbody tr").first.inner_text(), r"[0-9a-f]{8}-[0-9a-f]{4}-")

    def test_the_checker_finds_what_is_wrong(self):
        """The control arm of the accessibility test."""
        page = self.open()
        page.goto(self.world.address + "/failed")
        page.evaluate("""() => {
            document.querySelector("main").insertAdjacentHTML("beforeend", "<img src='/assets/icon.svg'><input>");
            document.documentElement.removeAttribute("lang");
        }""")
        found = {each["id"] for each in Axe().run(page).response["violations"]}
        self.assertLessEqual({"image-alt", "label", "html-has-lang"}, found)


if __name__ == "__main__":
    unittest.main()
