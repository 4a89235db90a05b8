"""A page with a token, over TLS with the certificate of the hub's authority."""

import pathlib
import re
import tempfile
import unittest

from playwright.sync_api import expect

from world import World, browser, new_context, until

TOKEN = "correct-horse-battery-staple"


class Login(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="cw-")
        cls.addClassCleanup(folder.cleanup)
        token = pathlib.Path(folder.name) / "token"
        token.write_text(TOKEN + "\n")
        token.chmod(0o600)
        token.chmod(0o600)
        cls.world = World(["--token-file", token], with_tls=True)
        cls.addClassCleanup(cls.world.close)
        cls.browser = cls.enterClassContext(browser())

    def page(self):
        # Chromium does not know the authority; the tests of TLS cover the verification of the certificate.
        context = new_context(self.browser, ignore_https_errors=True)
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
        expect(page.locator(".note")).to_have_text("Wrong token.")
        page.fill("#token", TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text("Overview")
        root = self.root(page)

        cookie = page.context.cookies()[0]
        self.assertEqual(cookie["name"], f"__Secure-causeway-{self.world.port}")
        self.assertEqual(self.world.address + cookie["path"], root + "/")
        self.assertTrue(cookie["httpOnly"] and cookie["secure"])
        self.assertEqual(cookie["sameSite"], "Strict")
        self.assertNotIn(TOKEN, str(cookie))
        self.assertEqual(page.evaluate("document.cookie"), "")

        page.goto(root + f"/confirm?do=delete&id={ids[0]}")
        page.click("#yes")
        expect(page.locator(".note")).to_have_text("1 message was deleted.")
        page.click("#logout")
        expect(page).to_have_url(self.world.address + "/login")
        for address in (self.world.address, root):
            page.goto(address + "/failed")
            expect(page).to_have_url(self.world.address + "/login")

    def root(self, page):
        """Returns the prefix of the paths of the login."""
        return re.match(r".*/s/[0-9a-f]{64}(?=/)", page.url).group()

    def test_the_plain_address_leads_to_a_login_that_lasts(self):
        page = self.page()
        self.log_in(page, "/outbox")
        root = self.root(page)
        expect(page.locator(".pulse")).to_have_text("Live")
        again = page.context.new_page()
        again.goto(self.world.address)
        expect(again).to_have_url(root + "/")
        expect(again.locator("h1")).to_have_text("Overview")

    def test_guessing_does_not_keep_the_owner_out(self):
        # Wrong tokens of other tests came from the same address: a new run of the page does not count them.
        self.world.page.stop()
        self.world.start_page()
        page = self.page()
        page.goto(self.world.address + "/login")
        # Five wrong ones; a late one may be counted as the first of the next five.
        until("there were too many", lambda: self.guess(page, "guess-guess-guess-guess") == 429)
        expect(page.locator(".note")).to_contain_text("Too many failed attempts")
        self.assertEqual(self.guess(page, TOKEN), 200)
        expect(page.locator("h1")).to_have_text("Overview")

    def guess(self, page, token):
        page.fill("#token", token)
        with page.expect_navigation() as answer:
            page.keyboard.press("Enter")
        return answer.value.status

    def log_in(self, page, path="/"):
        page.goto(self.world.address + "/login")
        page.fill("#token", TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text("Overview")
        page.goto(self.root(page) + path)

    def test_a_login_that_ends_leads_to_the_form(self):
        page = self.page()
        self.log_in(page, "/outbox")
        expect(page.locator(".pulse")).to_have_text("Live")
        # A new run of the page does not know the logins of the previous one.
        self.world.page.stop()
        self.world.start_page()
        expect(page).to_have_url(self.world.address + "/login")
        expect(page.locator("#token")).to_be_visible()

    def test_another_tab_logs_out(self):
        page = self.page()
        self.log_in(page, "/outbox")
        expect(page.locator(".pulse")).to_have_text("Live")
        other = page.context.new_page()
        other.goto(self.root(page) + "/")
        other.click("#logout")
        self.world.fail("seen by nobody")
        expect(page).to_have_url(self.world.address + "/login")
        self.world.control("POST", "/v1/delete-failed", {})


if __name__ == "__main__":
    unittest.main()
