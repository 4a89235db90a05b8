"""Text of other users in a real browser: it is shown, and has no effect."""

import unittest

from playwright.sync_api import expect

from world import World, browser, new_context, problems_of

TEXTS = [
    "<script>window.hit = 1</script>", "</td></table><script src='/assets/page.js?hit'></script>",
    "\" autofocus onfocus=\"window.hit = 1\" x=\"", "' onmouseover='window.hit = 1' x='",
    "<img src=x onerror='window.hit = 1'>", "<svg onload='window.hit = 1'>", "<a href='javascript:window.hit=1'>x</a>",
    "\"\u0301 onx=1", "{{csrf}}{{{csrf}}}", "&lt;b&gt;", "a\u202egnp.exe", "\u0000\u001b[2J",
    "</textarea></title></style>",
    "x" * 100_000, "<" * 20_000, "=cmd|' /C calc'!A0",
]

PAGES = ["/", "/outbox?limit=200", "/failed?limit=200", "/messages?q=nowhere&limit=200", "/delete-actions?limit=200",
         "/messages", "/confirm?do=delete-all", "/outbox?channel=empty"]


class HostileText(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = World(["--show-bodies"])
        cls.addClassCleanup(cls.world.close)
        cls.browser = cls.enterClassContext(browser())
        cls.ids = cls.world.fail(*TEXTS)
        gone = cls.world.fail(*TEXTS[:4])
        cls.world.control("POST", "/v1/delete", {"ids": gone, "by": "cli"})

    def open(self, **options):
        context = new_context(self.browser, **options)
        self.addCleanup(context.close)
        page = context.new_page()
        self.problems = problems_of(page)
        return page

    def test_it_shows_as_text(self):
        page = self.open()
        paths = PAGES + [f"/messages/{message}" for message in self.ids]
        for path in paths:
            page.goto(self.world.address + path)
            self.assertIsNone(page.evaluate("window.hit ?? null"), path)
            scripts = page.evaluate("[...document.scripts].map((script) => script.getAttribute('src'))")
            self.assertEqual(scripts, ["/assets/page.js"], path)
            expect(page.locator("main img, main svg[onload], main a[href^=javascript]")).to_have_count(0)
            handlers = page.evaluate("""[...document.querySelectorAll("*")].flatMap((each) => [...each.attributes])
                .filter((each) => each.name.startsWith("on") || each.name === "style").length""")
            self.assertEqual(handlers, 0, path)
            # Nothing is wider than the window, whatever its content.
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0, path)
        self.assertEqual(self.problems, [])

    def test_a_text_is_shown_as_it_is(self):
        page = self.open()
        for message, text in zip(self.ids, TEXTS):
            page.goto(self.world.address + f"/messages/{message}")
            shown = page.locator(".body").text_content()
            if "\u202e" in text or "\u0000" in text:
                self.assertNotIn("\u202e", shown)
                self.assertTrue("\\u{202e}" in shown or "\\u{1b}" in shown)
            else:
                self.assertEqual(shown, text)

    def test_what_is_exchanged_by_the_script_does_nothing_either(self):
        page = self.open()
        page.goto(self.world.address + "/failed?limit=200")
        more = self.world.fail(*TEXTS[:8])
        page.wait_for_selector(f"#r-{more[-1]}")
        self.assertIsNone(page.evaluate("window.hit ?? null"))
        self.assertEqual(self.problems, [])
        self.world.control("POST", "/v1/delete", {"ids": more, "by": "api"})

    def test_an_inline_script_would_not_run(self):
        """The control arm of the policy: even a script in the page has no effect."""
        page = self.open()
        page.goto(self.world.address + "/failed")
        refusals = []

        def is_last(message):
            if "Content Security Policy" in message.text:
                refusals.append(message.text)
            # The script, and the handler of the image.
            return len(refusals) >= 2

        with page.expect_console_message(is_last):
            page.evaluate("""() => {
                const script = document.createElement("script");
                script.textContent = "window.hit = 1";
                document.body.append(script);
                const image = document.createElement("div");
                image.innerHTML = "<img src=x onerror='window.hit = 2'>";
                document.body.append(image);
            }""")
        self.assertIsNone(page.evaluate("window.hit ?? null"))
        self.assertTrue(all("Content Security Policy" in problem or "404" in problem or "Failed to load" in problem
                            for problem in self.problems), self.problems)


if __name__ == "__main__":
    unittest.main()
