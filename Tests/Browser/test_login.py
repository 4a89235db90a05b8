"""A page with a token, over TLS with the certificate of the hub's authority."""

import pathlib
import tempfile
import time
import unittest

from playwright.sync_api import expect

from world import World, browser, new_context

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
        expect(page.locator(".note")).to_have_text("That is not the token of this page.")
        page.fill("#token", TOKEN)
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text("Overview")

        cookie = page.context.cookies()[0]
        self.assertEqual(cookie["name"], f"__Host-causeway-{self.world.port}")
        self.assertTrue(cookie["httpOnly"] and cookie["secure"])
        self.assertEqual(cookie["sameSite"], "Strict")
        self.assertNotIn(TOKEN, str(cookie))
        self.assertEqual(page.evaluate("document.cookie"), "")

        page.goto(self.world.address + f"/confirm?do=delete&id={ids[0]}")
        page.click("#yes")
        expect(page.locator(".note")).to_have_text("1 message was deleted.")
        page.click("#logout")
        expect(page).to_have_url(self.world.address + "/login")
        page.goto(self.world.address + "/failed")
        expect(page).to_have_url(self.world.address + "/login")

    def test_guessing_is_slowed_down(self):
        # Wrong tokens of other tests came from the same address: a new run of the page knows nothing of them.
        self.world.page.stop()
        self.world.start_page()
        page = self.page()
        page.goto(self.world.address + "/login")
        # Each answer is awaited; more than five guesses may be judged only where the machine took its time.
        started = time.monotonic()
        guesses = 0
        while self.guess(page, "guess-guess-guess-guess") == 403:
            guesses += 1
            self.assertLessEqual(guesses, 5 + (time.monotonic() - started) // 20)
        self.assertGreaterEqual(guesses, 5)
        expect(page.locator(".note")).to_contain_text("Too many wrong tokens")
        # The right one has to wait as well; the page is started anew so that the other test need not.
        if time.monotonic() - started < 15:
            self.assertEqual(self.guess(page, TOKEN), 429)
        self.world.page.stop()
        self.world.start_page()

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
        page.goto(self.world.address + path)

    def test_a_login_that_ends_leads_to_the_form(self):
        page = self.page()
        self.log_in(page, "/outbox")
        expect(page.locator(".pulse")).to_have_text("Live")
        # A new run of the page knows no login of the last one.
        self.world.page.stop()
        self.world.start_page()
        expect(page).to_have_url(self.world.address + "/login")
        expect(page.locator("#token")).to_be_visible()

    def test_another_tab_logs_out(self):
        page = self.page()
        self.log_in(page, "/outbox")
        expect(page.locator(".pulse")).to_have_text("Live")
        other = page.context.new_page()
        other.goto(self.world.address + "/")
        other.click("#logout")
        self.world.fail("seen by nobody")
        expect(page).to_have_url(self.world.address + "/login")
        self.world.control("POST", "/v1/delete-failed", {})


if __name__ == "__main__":
    unittest.main()
