"""A page with a token, over TLS with the certificate of the hub's authority."""

import pathlib
import tempfile
import unittest

from playwright.sync_api import expect

from world import World, browser

TOKEN = "correct-horse-battery-staple"


class Login(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="cw-")
        cls.addClassCleanup(folder.cleanup)
        token = pathlib.Path(folder.name) / "token"
        token.write_text(TOKEN + "\n")
        token.chmod(0o600)
        cls.world = World(["--token-file", token], with_tls=True)
        cls.addClassCleanup(cls.world.close)
        cls.browser = cls.enterClassContext(browser())

    def page(self):
        # Chromium does not know the authority; that the certificate verifies is shown with TLS's own tests.
        context = self.browser.new_context(ignore_https_errors=True)
        self.addCleanup(context.close)
        return context.new_page()

    def test_a_whole_visit(self):
        self.assertTrue(self.world.address.startswith("https://"))
        ids = self.world.fail("to delete")
        page = self.page()
        page.goto(self.world.address + "/failed")
        expect(page).to_have_url(self.world.address + "/login")
        page.fill("#token", "not the right one")
        page.keyboard.press("Enter")
        expect(page.locator(".note")).to_have_text("That is not the token of this page.")
        page.fill("#token", TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text("Overview")

        cookie = page.context.cookies()[0]
        self.assertEqual(cookie["name"], "__Host-causeway")
        self.assertTrue(cookie["httpOnly"] and cookie["secure"])
        self.assertEqual(cookie["sameSite"], "Strict")
        self.assertNotIn(TOKEN, str(cookie))
        self.assertEqual(page.evaluate("document.cookie"), "")

        page.goto(self.world.address + f"/confirm?do=delete&id={ids[0]}")
        page.click("#yes")
        expect(page.locator(".note")).to_have_text("1 message was deleted.")
        page.click("text=Log out")
        expect(page).to_have_url(self.world.address + "/login")
        page.goto(self.world.address + "/failed")
        expect(page).to_have_url(self.world.address + "/login")

    def test_guessing_is_slowed_down(self):
        page = self.page()
        page.goto(self.world.address + "/login")
        for _ in range(7):
            page.fill("#token", "guess-guess-guess-guess")
            page.keyboard.press("Enter")
            expect(page.locator(".note")).to_be_visible()
        expect(page.locator(".note")).to_contain_text("Too many wrong tokens")
        # The right one has to wait as well; the page is started anew so that the other test need not.
        page.fill("#token", TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator(".note")).to_contain_text("Too many wrong tokens")
        self.world.page.stop()
        self.world.start_page()


if __name__ == "__main__":
    unittest.main()
