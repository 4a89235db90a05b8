"""The pages are accessible: axe-core finds no barrier."""

import pathlib
import re
import tempfile
import unittest

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from world import World, browser, new_context, until

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
        context = new_context(self.browser, **options)
        self.addCleanup(context.close)
        return context.new_page()

    def check(self, scheme, width, height):
        page = self.open(color_scheme=scheme, viewport={"width": width, "height": height})
        for path in self.pages:
            page.goto(self.world.address + path)
            self.hold(page)
            self.assertEqual(self.grave(page), [], path)

    def test_light_and_wide(self):
        self.check("light", 1280, 900)

    def test_dark_and_wide(self):
        self.check("dark", 1280, 900)

    def test_on_a_phone(self):
        self.check("light", 390, 844)

    def test_dark_on_a_phone(self):
        self.check("dark", 390, 844)

    def hold(self, page):
        """Keeps the page unchanged while it is checked."""
        if page.locator("#pause").count():
            page.click("#pause")
            expect(page.locator(".pulse")).to_have_text("Paused")

    def test_a_page_that_is_live(self):
        """The parts that `hold` changes in the other tests: the text about the stream, and the original button."""
        for scheme in ("light", "dark"):
            page = self.open(color_scheme=scheme, reduced_motion="reduce")
            page.goto(self.world.address + "/")
            expect(page.locator(".pulse")).to_have_text("Live")
            # The page keeps changing: only findings that occur again are faults of the page.
            until("nothing is found", lambda page=page: not self.grave(page))

    def grave(self, page):
        return [(each["id"], each["help"], each["nodes"][0]["html"][:200])
                for each in Axe().run(page).response["violations"]
                if each["impact"] in ("serious", "critical", "moderate")]

    def test_a_page_with_a_notice(self):
        page = self.open()
        message = self.world.send("general", "to be deleted")[0]
        page.goto(self.world.address + f"/confirm?do=delete&id={message}")
        page.click("#yes")
        expect(page.locator("main .note[role=status]")).to_be_visible()
        self.hold(page)
        self.assertEqual(self.grave(page), [])

    def test_the_login_and_the_page_without_a_daemon(self):
        with tempfile.TemporaryDirectory(prefix="cw-") as folder:
            token = pathlib.Path(folder) / "token"
            token.write_text("correct-horse-battery-staple\n")
            token.chmod(0o600)
            token.chmod(0o600)
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
                expect(page.locator("#overview")).to_be_visible()
                pages = page.url
                other.daemon.stop()
                self.assertEqual(page.goto(pages + "outbox").status, 503)
                self.hold(page)
                self.assertEqual(self.grave(page), [])
                other.start_daemon()

    def test_a_table_is_one_on_a_phone(self):
        page = self.open(viewport={"width": 390, "height": 844})
        for path in ("/", "/outbox", "/failed", "/delete-actions", "/messages?q=general"):
            page.goto(self.world.address + path)
            # The rows are shown as cards there, which removes a table's meaning unless roles restore it.
            expect(page.locator("tbody tr").first).to_have_css("display", "block")
            for role in ("table", "row", "rowheader", "cell"):
                expect(page.locator(f"table [role={role}], table[role={role}]").first).to_be_attached()

    def test_on_paper(self):
        page = self.open(viewport={"width": 794, "height": 1123})
        page.emulate_media(media="print")
        page.goto(self.world.address + "/failed")
        # It stays a table, with the complete id and time; elements that cannot be used are omitted.
        row = page.locator("tbody tr").first
        whole_id = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-")
        expect(row).to_have_css("display", "table-row")
        expect(row).to_contain_text(whole_id, use_inner_text=True)
        expect(row).to_contain_text(re.compile(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC"), use_inner_text=True)
        for name in ("#nav", "#chosen > .bar", ".pick", ".pulse", "#pause", ".pages"):
            expect(page.locator(name).filter(visible=True)).to_have_count(0)
        expect(page.locator(".scroll")).to_have_css("overflow-x", "visible")
        # The same on a screen, as a control arm.
        page.emulate_media(media="screen")
        expect(page.locator("#nav")).to_be_visible()
        expect(row).not_to_contain_text(whole_id, use_inner_text=True)

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
