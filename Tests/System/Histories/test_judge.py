"""Each check of the judge finds a violation that no other one finds, in a history that is otherwise clean."""

import copy
import pathlib
import unittest

from judge import CHECKS, judge


def message(number, sender="ann", **changes):
    return {"id": f"m{number}", "sender": sender, "position": number, "text": f"{sender} {number}", "reactions": {},
            **changes}


def event(version, value, identifier=None):
    return {"topic": "channel:general", "kind": "message", "id": identifier or value["id"], "version": version,
            **({"value": value} if value else {})}


def clean():
    """Ann writes four messages, edits the second, reacts to the third and deletes the fourth."""
    last = [message(1), message(2, text="ann 2 edited"), message(3, reactions={"a": 1})]
    created = [{"entry": "create", "isAcknowledged": True, "id": f"m{number}", "client": "ann", "channel": "general",
                "text": f"ann {number}"} for number in range(1, 5)]
    shown = [{key: each[key] for key in ("id", "text", "position")} for each in last]
    return [
        *created,
        {"entry": "part", "isReset": False, "limited": [],
         "events": [event(number, message(number)) for number in range(1, 5)]},
        {"entry": "look", "client": "ann", "id": "m1", "state": "synced"},
        {"entry": "edit", "client": "ann", "id": "m2", "text": "ann 2 edited", "isAcknowledged": True},
        {"entry": "react", "client": "ann", "id": "m3", "name": "a", "isAdded": True, "isAcknowledged": True},
        {"entry": "delete", "client": "ann", "id": "m4", "isAcknowledged": True},
        {"entry": "part", "isReset": False, "limited": [],
         "events": [event(5, last[1]), event(6, last[2]), event(7, None, "m4")]},
        {"entry": "page", "channel": "general", "messages": last},
        {"entry": "channel", "channel": "general", "value": {"messageCount": 3, "lastPosition": 4}},
        {"entry": "view", "client": "ann", "channel": "general", "messages": shown},
        *({"entry": "state", "id": f"m{number}", "history": ["syncing", "synced"]} for number in range(1, 4)),
    ]


def entries(history, kind):
    return [entry for entry in history if entry["entry"] == kind]


def everywhere(history, change):
    """Changes the state at the end wherever it is told: events, page and view."""
    change(entries(history, "page")[0]["messages"])
    change(entries(history, "view")[0]["messages"])


class JudgeTests(unittest.TestCase):
    def assert_only(self, check, history):
        found = judge(history)
        self.assertEqual({violation.split(":")[0] for violation in found}, {check}, found)

    def test_a_clean_history_has_no_violation(self):
        self.assertEqual(judge(clean()), [])

    def test_a_lost_message(self):
        history = clean()
        everywhere(history, lambda messages: messages.pop(2))
        entries(history, "channel")[0]["value"]["messageCount"] = 2
        last = entries(history, "part")[1]["events"]
        last[1] = event(6, None, "m3")
        self.assert_only("nothing_is_lost", history)

    def test_a_message_that_nobody_wrote(self):
        history = clean()
        everywhere(history, lambda messages: messages.append(
            message(5) if "sender" in messages[0] else {"id": "m5", "text": "ann 5", "position": 5}))
        entries(history, "channel")[0]["value"] = {"messageCount": 4, "lastPosition": 5}
        entries(history, "part")[1]["events"].append(event(8, message(5)))
        self.assert_only("nothing_appears_from_nowhere", history)

    def test_a_message_that_was_created_without_a_response_is_no_violation(self):
        history = clean()
        history.insert(0, {"entry": "create", "isAcknowledged": False, "client": "ann", "channel": "general",
                           "text": "ann 5"})
        self.assertEqual(judge(history), [])

    def test_a_doubled_message(self):
        history = clean()
        double = message(5, id="m5", text="ann 1")
        history.insert(0, {"entry": "create", "isAcknowledged": False, "client": "ann", "channel": "general",
                           "text": "ann 1"})
        everywhere(history, lambda messages: messages.append(
            double if "sender" in messages[0] else {"id": "m5", "text": "ann 1", "position": 5}))
        entries(history, "channel")[0]["value"] = {"messageCount": 4, "lastPosition": 5}
        entries(history, "part")[1]["events"].append(event(8, double))
        self.assert_only("nothing_is_doubled", history)

    def test_a_lost_edit(self):
        history = clean()

        def undo(messages):
            messages[1]["text"] = "ann 2"
        everywhere(history, undo)
        entries(history, "part")[1]["events"][0] = event(5, message(2))
        self.assert_only("content_is_the_last_one", history)

    def test_an_edit_that_a_restored_hub_lost_is_no_violation(self):
        history = clean()
        undone = message(2)
        everywhere(history, lambda messages: messages[1].update(text="ann 2"))
        place = history.index(entries(history, "part")[1])
        history[place:place] = [{"entry": "fault", "what": "restore"}]
        entries(history, "part")[1]["events"][0] = event(5, undone)
        self.assertEqual(judge(history), [])

    def test_a_deleted_message_that_is_there(self):
        history = clean()
        everywhere(history, lambda messages: messages.append(
            message(4) if "sender" in messages[0] else {"id": "m4", "text": "ann 4", "position": 4}))
        entries(history, "channel")[0]["value"]["messageCount"] = 4
        entries(history, "part")[1]["events"].pop()
        self.assert_only("deleted_is_gone", history)

    def test_an_exchanged_order(self):
        history = clean()
        first, second = history[0], history[1]
        history[0], history[1] = second, first
        self.assert_only("order_is_that_of_creation", history)

    def test_a_message_that_failed_has_no_order(self):
        history = clean()
        history[0], history[1] = history[1], history[0]
        entries(history, "state")[0]["history"].insert(0, "error")
        self.assertEqual(judge(history), [])

    def test_a_lost_reaction(self):
        history = clean()
        entries(history, "page")[0]["messages"][2]["reactions"] = {}
        entries(history, "part")[1]["events"][1] = event(6, message(3))
        self.assert_only("reactions_are_the_last_ones", history)

    def test_a_position_that_was_another_message_s(self):
        history = clean()
        history.insert(4, {"entry": "snapshot", "channel": "general", "messages": [message(9, position=1)]})
        history.insert(4, {"entry": "part", "isReset": True, "limited": [], "events": []})
        history.insert(6, {"entry": "snapshot", "channel": "general", "messages": []})
        self.assert_only("positions_are_never_reused", history)

    def test_a_version_that_falls(self):
        history = clean()
        entries(history, "part")[1]["events"][0]["version"] = 1
        self.assert_only("versions_grow", history)

    def test_a_record_that_is_twice_in_a_part(self):
        history = clean()
        events = entries(history, "part")[1]["events"]
        events.insert(0, copy.deepcopy(events[0]))
        self.assert_only("versions_grow", history)

    def test_an_event_that_is_missing(self):
        history = clean()
        entries(history, "part")[1]["events"].pop(1)
        self.assert_only("events_lead_to_the_state", history)

    def test_a_wrong_count(self):
        history = clean()
        entries(history, "channel")[0]["value"]["messageCount"] = 4
        self.assert_only("channels_count_their_messages", history)

    def test_a_client_that_shows_something_else(self):
        history = clean()
        entries(history, "view")[0]["messages"].reverse()
        self.assert_only("clients_show_what_the_hub_has", history)

    def test_an_acknowledged_message_that_cannot_be_read(self):
        history = clean()
        entries(history, "look")[0]["state"] = None
        self.assert_only("acknowledged_is_visible", history)

    def test_a_message_that_was_called_delivered(self):
        history = clean()
        # Created without a response, so that only the look says that it was delivered.
        history.insert(5, {"entry": "look", "client": "ann", "id": "m7", "state": "synced"})
        self.assert_only("delivered_is_delivered", history)

    def test_each_check_has_a_test(self):
        source = pathlib.Path(__file__).read_text(encoding="utf-8")
        for check in CHECKS:
            self.assertIn(f'self.assert_only("{check.__name__}"', source)


if __name__ == "__main__":
    unittest.main()
