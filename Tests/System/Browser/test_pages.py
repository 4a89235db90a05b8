"""An operator's use of the page, in a real browser, with and without JavaScript."""

import re
import socket
import unittest

from playwright.sync_api import expect

from world import SECONDS_MAX, ControlConnection, World, browser, new_context, problems_of, until


class Pages(unittest.TestCase):
    """Tests in one shared world: each leaves the outbox unchanged, without messages of its own."""

    @classmethod
    def setUpClass(cls):
        cls.world = World(["--show-bodies"])
        cls.addClassCleanup(cls.world.close)
        cls.browser = cls.enterClassContext(browser())

    def page(self, scripts=True):
        context = new_context(self.browser, java_script_enabled=scripts)
        self.addCleanup(context.close)
        page = context.new_page()
        self.problems = problems_of(page)
        return page

    def go(self, page, path):
        answer = page.goto(self.world.address + path)
        self.assertEqual(answer.status, 200)

    def click_and_say_yes(self, page, selector):
        page.click(selector)
        page.click("#yes")

    def resend_and_delete(self, scripts):
        world = self.world
        ids = world.fail("first", "second", "third", "fourth")
        page = self.page(scripts)
        self.go(page, "/outbox")
        for message in ids:
            expect(page.locator(f"#r-{message}")).to_contain_text("no channel named nowhere")
        self.go(page, "/failed")
        expect(page.locator("tbody tr")).to_have_count(4)

        # One is resent: first the question, then the result, and the hub refuses it once more.
        page.click(f"#resend-{ids[0]}")
        expect(page.locator("h1")).to_have_text("Resend 1 message?")
        page.click("#no")
        self.assertEqual(world.state(ids[0]), "error")
        self.click_and_say_yes(page, f"#resend-{ids[0]}")
        expect(page.locator(".note")).to_have_text("1 message was put back into the queue.")
        until("it failed again", lambda: world.state(ids[0]) == "error")

        # One is deleted.
        self.click_and_say_yes(page, f"#delete-{ids[1]}")
        expect(page.locator(".note")).to_have_text("1 message was deleted.")
        until("there are three", lambda: world.failed() == 3)

        # One is selected by its box.
        self.go(page, "/failed")
        page.check(f"#c-{ids[2]}")
        self.click_and_say_yes(page, "#delete-chosen")
        expect(page.locator(".note")).to_have_text("1 message was deleted.")

        # All are deleted.
        page.click("#delete-all")
        expect(page.locator("h1")).to_have_text("Delete all failed messages, edits and reactions?")
        page.click("#yes")
        expect(page.locator(".note")).to_have_text("2 messages were deleted.")
        expect(page.locator(".empty")).to_have_text("Nothing has failed.")
        self.assertEqual(world.failed(), 0)

        # All deletions are listed with their origins.
        page.click("#nav-delete-actions")
        rows = page.locator("tbody tr")
        for message in ids:
            row = rows.filter(has=page.get_by_text(message, exact=True))
            expect(row).to_contain_text("status page")
            expect(row).to_contain_text("no channel named nowhere")
        self.assertEqual({action["by"] for action in world.deletions() if action["message"] in ids}, {"statusPage"})
        self.assertEqual(self.problems, [])

    def test_resend_and_delete(self):
        self.resend_and_delete(scripts=True)

    def test_resend_and_delete_without_javascript(self):
        self.resend_and_delete(scripts=False)

    def test_selecting_nothing_does_nothing(self):
        ids = self.world.fail("only one")
        page = self.page()
        self.go(page, "/failed")
        page.click("#delete-chosen")
        expect(page.locator("h1")).to_have_text("Nothing selected")
        self.assertEqual(self.world.state(ids[0]), "error")
        page.go_back()
        # The box in the heading selects all; it exists only where a script can handle it.
        page.check("#all")
        expect(page.locator(f"#c-{ids[0]}")).to_be_checked()
        self.click_and_say_yes(page, "#delete-chosen")
        until("it is gone", lambda: self.world.failed() == 0)

    def test_a_message_goes_from_waiting_to_synced_before_ones_eyes(self):
        world = self.world
        page = self.page()
        world.hub.stop()
        waiting = world.send("general", "seen from the page")[0]
        self.go(page, f"/messages/{waiting}")
        badge = page.locator("#message .badge").first
        page.evaluate("window.untouched = true")
        expect(badge).to_have_text(re.compile("created|syncing"))
        expect(page.locator("#message")).to_contain_text("offline")
        expect(page.locator(".pulse")).to_have_text("Live")
        list_page = page.context.new_page()
        self.go(list_page, "/outbox")
        expect(list_page.locator(f"#r-{waiting}")).to_be_visible()

        world.start_hub()
        world.control("POST", "/v1/probe", {})
        page.bring_to_front()
        expect(badge).to_have_text("synced")
        expect(page.locator(".timeline")).to_contain_text("Accepted by the server")
        list_page.bring_to_front()
        expect(list_page.locator(f"#r-{waiting}")).to_have_count(0)
        # The page was never reloaded.
        self.assertTrue(page.evaluate("window.untouched"))
        self.assertEqual(self.problems, [])

    def test_without_a_script_a_look_again_shows_it(self):
        world = self.world
        page = self.page(scripts=False)
        world.control("POST", "/v1/pause", {})
        waiting = world.send("general", "seen without a script")[0]
        self.go(page, f"/messages/{waiting}")
        badge = page.locator("#message .badge").first
        expect(badge).to_have_text("created")
        world.control("POST", "/v1/resume", {})
        until("it is there", lambda: world.state(waiting) == "synced")
        page.reload()
        expect(badge).to_have_text("synced")

    def test_what_a_person_ticked_stays_ticked(self):
        ids = self.world.fail("a", "b")
        page = self.page()
        self.go(page, "/failed")
        page.check(f"#c-{ids[0]}")
        page.focus(f"#c-{ids[1]}")
        more = self.world.fail("c")
        expect(page.locator(f"#r-{more[0]}")).to_be_visible()
        expect(page.locator(f"#c-{ids[0]}")).to_be_checked()
        expect(page.locator(f"#c-{more[0]}")).not_to_be_checked()
        expect(page.locator(f"#c-{ids[1]}")).to_be_focused()
        self.world.control("POST", "/v1/delete-failed", {})

    def test_a_row_that_stays_is_the_same_element(self):
        ids = self.world.fail("a", "b", "c")
        page = self.page()
        self.go(page, "/failed")
        page.focus(f"#delete-{ids[2]}")
        page.evaluate("""() => {
            for (const row of document.querySelectorAll("tbody tr")) row.mark = row.id;
            window.focusMoved = 0;
            document.addEventListener("focusin", () => window.focusMoved += 1);
            // Until the next exchange of rows only, which a busy machine may miss.
            window.marked = new Set();
            new MutationObserver(() => {
                for (const row of document.querySelectorAll("tr.fresh")) window.marked.add(row.id);
            }).observe(document, { subtree: true, childList: true, attributes: true });
        }""")
        # One is removed, another one is added, and the ages of the others increase.
        self.world.control("POST", "/v1/delete", {"ids": [ids[1]], "by": "api"})
        expect(page.locator(f"#r-{ids[1]}")).to_have_count(0)
        more = self.world.fail("d")
        expect(page.locator(f"#r-{more[0]}")).to_be_visible()
        marks = page.evaluate("""() => [...document.querySelectorAll("tbody tr")].map((row) => [row.id, row.mark])""")
        stayed = [[f"r-{each}", f"r-{each}"] for each in (ids[2], ids[0])]
        self.assertEqual(marks, [[f"r-{more[0]}", None], *stayed])
        expect(page.locator(f"#delete-{ids[2]}")).to_be_focused()
        self.assertEqual(page.evaluate("window.focusMoved"), 0)
        # New rows are marked, rows whose age changed are not.
        self.assertEqual(page.evaluate("[...window.marked]"), [f"r-{more[0]}"])
        self.world.control("POST", "/v1/delete-failed", {})

    def tab_to(self, page, name):
        """Moves the focus from one element to the next until it reaches `name`; wraps around at the end."""
        def is_there():
            page.keyboard.press("Tab")
            return page.evaluate("document.activeElement.id") == name
        until(f"{name} has the focus", is_there)
        expect(page.locator(f"#{name}")).to_be_focused()

    def test_everything_can_be_done_by_keyboard(self):
        ids = self.world.fail("by keyboard")
        page = self.page()
        self.go(page, "/failed")
        page.keyboard.press("Tab")
        expect(page.locator(".skip")).to_be_focused()
        self.tab_to(page, f"delete-{ids[0]}")
        page.keyboard.press("Enter")
        expect(page.locator("#yes")).to_be_visible()
        self.tab_to(page, "yes")
        page.keyboard.press("Enter")
        expect(page.locator(".note")).to_have_text("1 message was deleted.")

    def test_a_daemon_that_stops_and_comes_back(self):
        world = self.world
        page = self.page()
        self.go(page, "/outbox")
        expect(page.locator(".pulse")).to_have_text("Live")
        page.evaluate("window.untouched = true")
        world.daemon.stop(kill=True)
        expect(page.locator("h1")).to_have_text("The daemon does not respond")
        without = self.page(scripts=False)
        self.assertEqual(without.goto(world.address + "/failed").status, 503)
        world.start_daemon()
        expect(page.locator("h1")).to_have_text("Outbox")
        self.assertTrue(page.evaluate("window.untouched"))

    def test_more_tabs_than_a_browser_has_connections(self):
        first = self.page()
        self.go(first, "/outbox")
        pages = [first] + [first.context.new_page() for _ in range(7)]
        for page in pages[1:]:
            self.go(page, "/outbox")
        for page in pages:
            expect(page.locator(".pulse")).to_have_text("Live")
        # All pages are notified by the one that has the stream; also when that one is closed.
        for number in range(2):
            new = self.world.fail(f"for all tabs {number}")[0]
            for page in pages:
                page.bring_to_front()
                expect(page.locator(f"#r-{new}")).to_be_visible()
            pages.pop(0).close()
        self.world.control("POST", "/v1/delete-failed", {})

    def test_a_stream_that_was_refused_is_asked_for_again(self):
        sockets = []

        def all_places_are_taken():
            each = socket.create_connection(("127.0.0.1", self.world.port))
            each.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{self.world.port}\r\n\r\n".encode())
            each.settimeout(SECONDS_MAX)
            # Tabs that were closed keep their slots until the next event.
            if b" 200 " in each.makefile("rb").readline():
                sockets.append(each)
            else:
                each.close()
            return len(sockets) == 64

        try:
            until("all places are taken", all_places_are_taken)
            page = self.page()
            self.go(page, "/outbox")
            expect(page.locator(".pulse")).to_have_text("Reconnecting")
        finally:
            for each in sockets:
                each.close()
        # The page detects with the next keep-alive that nothing listens any more.
        expect(page.locator(".pulse")).to_have_text("Live")

    def test_a_daemon_that_too_many_watch_is_not_gone(self):
        watchers = []
        self.world.page.stop()

        def all_places_are_taken():
            each = ControlConnection(self.world.environment["CAUSEWAY_SOCKET"])
            each.request("GET", "/v1/events")
            answer = each.getresponse()
            # A closed one keeps its slot until the next event of the daemon.
            if answer.read(5) == b"data:":
                watchers.append((each, answer))
            else:
                answer.close()
                each.close()
            return len(watchers) == 32

        try:
            until("all places are taken", all_places_are_taken)
        finally:
            self.world.start_page()
        try:
            page = self.page()
            self.go(page, "/outbox")
            expect(page.locator(".pulse")).to_have_text("Updated periodically: too many subscribers of the daemon")
            expect(page.locator("h1")).to_have_text("Outbox")
        finally:
            for each, answer in watchers:
                answer.close()
                each.close()
        expect(page.locator(".pulse")).to_have_text("Live")

    def test_what_a_person_selects_stays_and_the_page_says_so(self):
        ids = self.world.fail("to be selected")
        page = self.page()
        self.go(page, "/failed")
        expect(page.locator(".pulse")).to_have_text("Live")
        page.evaluate("getSelection().selectAllChildren(document.querySelector('h1'))")
        more = self.world.fail("meanwhile")
        expect(page.locator(".pulse")).to_have_text("Paused while text is selected")
        # It is held as long as the text is selected, so there is nothing to wait for.
        self.assertEqual(page.locator(f"#r-{more[0]}").count(), 0)
        page.evaluate("getSelection().removeAllRanges()")
        expect(page.locator(f"#r-{more[0]}")).to_be_visible()
        expect(page.locator(".pulse")).to_have_text("Live")
        self.world.control("POST", "/v1/delete", {"ids": ids + more, "by": "api"})

    def test_a_person_can_pause_the_updates(self):
        page = self.page()
        page.clock.install()
        # Counts the page's requests, and records the events of its stream.
        page.add_init_script("""
            window.asked = 0;
            const ask = window.fetch;
            window.fetch = (...all) => { window.asked += 1; return ask(...all); };
            window.heard = 0;
            window.ear = new BroadcastChannel("causeway-events");
            window.ear.onmessage = (news) => { if (news.data === "up") window.heard += 1; };
        """)
        self.go(page, "/failed")
        expect(page.locator(".pulse")).to_have_text("Live")
        page.click("#pause")
        expect(page.locator(".pulse")).to_have_text("Paused")
        asked = page.evaluate("window.asked")
        ids = self.world.fail("meanwhile")
        other = self.page()
        self.go(other, "/failed")
        expect(other.locator(f"#r-{ids[0]}")).to_be_visible()
        # The next keep-alive arrives after the message failed; then all timers of the page are due.
        heard = page.evaluate("window.heard")
        page.wait_for_function("(heard) => window.heard > heard", arg=heard)
        page.clock.run_for(60_000)
        self.assertEqual(page.evaluate("window.asked"), asked)
        self.assertEqual(page.locator(f"#r-{ids[0]}").count(), 0)
        page.click("#pause")
        # The control arm: now it does request.
        page.wait_for_function("(asked) => window.asked > asked", arg=asked)
        expect(page.locator(f"#r-{ids[0]}")).to_be_visible()
        expect(page.locator(".pulse")).to_have_text("Live")
        self.world.control("POST", "/v1/delete", {"ids": ids, "by": "api"})

    def test_an_answer_that_is_no_page_is_said(self):
        page = self.page()
        self.go(page, "/outbox")
        expect(page.locator(".pulse")).to_have_text("Live")
        page.route("**/outbox", lambda route: route.fulfill(status=429, body="slow"))
        new = self.world.fail("unseen")
        expect(page.locator(".pulse")).to_have_text("Not up to date: the page returned status 429")
        page.unroute("**/outbox")
        expect(page.locator(f"#r-{new[0]}")).to_be_visible()
        expect(page.locator(".pulse")).to_have_text("Live")
        self.world.control("POST", "/v1/delete-failed", {})

    def test_what_has_no_id_keeps_its_focus_and_its_place(self):
        ids = self.world.fail("a")
        page = self.page()
        page.set_viewport_size({"width": 900, "height": 700})
        self.go(page, "/failed")
        page.focus(".scroll")
        left = page.evaluate("""() => {
            const box = document.querySelector(".scroll");
            box.scrollLeft = 10;
            return box.scrollLeft;
        }""")
        self.assertGreater(left, 0)
        more = self.world.fail("b")
        expect(page.locator(f"#r-{more[0]}")).to_be_visible()
        expect(page.locator(".scroll")).to_be_focused()
        expect(page.locator(".scroll")).to_have_js_property("scrollLeft", left)
        # The box in the heading, which the script created.
        page.focus("#all")
        more += self.world.fail("c")
        expect(page.locator(f"#r-{more[1]}")).to_be_visible()
        expect(page.locator("#all")).to_be_focused()
        self.world.control("POST", "/v1/delete", {"ids": ids + more, "by": "api"})

    def test_ticks_and_the_title_outlive_an_outage(self):
        world = self.world
        ids = world.fail("a", "b")
        page = self.page()
        self.go(page, "/failed")
        page.check(f"#c-{ids[1]}")
        expect(page.locator(".pulse")).to_have_text("Live")
        world.daemon.stop(kill=True)
        expect(page.locator("h1")).to_have_text("The daemon does not respond")
        expect(page).to_have_title(re.compile("The daemon does not respond"))
        late = self.page()
        self.assertEqual(late.goto(world.address + "/failed").status, 503)
        world.start_daemon()
        expect(page.locator("h1")).to_have_text("Failed")
        expect(page.locator(f"#c-{ids[1]}")).to_be_checked()
        expect(page.locator(f"#c-{ids[0]}")).not_to_be_checked()
        for each in (page, late):
            each.bring_to_front()
            expect(each).to_have_title(re.compile("^Failed"))
            expect(each.locator(".pulse")).to_have_text("Live")
        world.control("POST", "/v1/delete-failed", {})

    def test_alerts_that_come_by_themselves_are_read_out(self):
        page = self.page()
        self.go(page, "/")
        expect(page.locator(".pulse")).to_have_text("Live")
        herald = page.locator("body > p[role=status]")
        expect(herald).to_have_text("")
        self.world.control("POST", "/v1/pause", {})
        expect(herald).to_contain_text("The outbox is paused.")
        self.world.control("POST", "/v1/resume", {})

    def test_finding_a_message(self):
        delivered = self.world.send("general", "where is it")[0]
        until("delivered", lambda: self.world.state(delivered) == "synced")
        page = self.page(scripts=False)
        self.go(page, "/messages")
        page.fill("input[name=q]", delivered)
        page.keyboard.press("Enter")
        expect(page.locator(".timeline")).to_contain_text("Accepted by the server")
        expect(page.locator(".body")).to_have_text("where is it")
        self.go(page, "/messages")
        page.fill("input[name=q]", "general")
        page.keyboard.press("Enter")
        expect(page.locator(f"#r-{delivered}")).to_contain_text("synced")


class ReadOnly(unittest.TestCase):
    """A page without a token, which is the default."""

    def test_it_only_shows(self):
        world = World(is_read_only=True)
        self.addCleanup(world.close)
        ids = world.fail("only to be seen")
        with browser() as running:
            page = new_context(running).new_page()
            problems = problems_of(page)
            page.goto(world.address + "/failed")
            expect(page.locator(f"#r-{ids[0]}")).to_be_visible()
            expect(page.locator(".pulse")).to_have_text("Live")
            more = world.fail("another one")
            expect(page.locator(f"#r-{more[0]}")).to_be_visible()
            expect(page.locator("main input[type=checkbox], main .deeds, a[href*=confirm]")).to_have_count(0)
            page.goto(world.address + f"/messages/{ids[0]}")
            expect(page.locator(".timeline")).to_contain_text("Failed permanently")
            expect(page.locator("main .deeds, a[href*=confirm]")).to_have_count(0)
            self.assertEqual(problems, [])
            self.assertEqual(page.goto(world.address + "/confirm?do=delete-all").status, 403)
            expect(page.locator("h1")).to_have_text("Read-only")
        self.assertEqual(world.failed(), 2)


if __name__ == "__main__":
    unittest.main()
