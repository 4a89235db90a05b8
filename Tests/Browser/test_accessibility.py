"""Everybody can use the pages: axe-core finds nothing that stands in anyone's way."""

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
