"""Checks a recorded history of the real programs against the contract (Documentation/Hub.md, README.md).

It shares no code with the programs or their simulators: it knows only what the contract says. A history is a list of
entries in the order in which they were recorded; `recorder.py` describes them.
"""

import collections


def judge(history):
    """Returns the violations of the contract, in words; empty if there are none."""
    found = []
    facts = Facts(history)
    for check in CHECKS:
        found += [f"{check.__name__}: {violation}" for violation in check(facts)]
    return found


class Facts:
    """A history, sorted by what its entries tell."""

    def __init__(self, history):
        self.created = {}
        self.unconfirmed = []
        self.deleted, self.may_be_deleted = set(), set()
        self.edits = collections.defaultdict(list)
        self.reactions = collections.defaultdict(list)
        self.missing, self.reported_delivered = [], set()
        self.views = {}
        self.states = {}
        self.pages, self.channels = {}, {}
        self.witnessed = []
        # Of what a restored hub has lost, clients repeat messages and deletions, and nothing else.
        restores = [number for number, entry in enumerate(history) if entry.get("what") == "restore"]
        self.restored_at = restores[-1] if restores else -1
        for number, entry in enumerate(history):
            getattr(self, "read_" + entry["entry"])(number, entry)

    def read_create(self, number, entry):
        if entry["isAcknowledged"]:
            self.created[entry["id"]] = {**entry, "number": number}
        else:
            self.unconfirmed.append(entry)

    def holds(self, number, entry):
        return entry["isAcknowledged"] and number > self.restored_at

    def read_delete(self, _, entry):
        (self.deleted if entry["isAcknowledged"] else self.may_be_deleted).add(entry["id"])

    def read_edit(self, number, entry):
        self.edits[entry["id"]].append({**entry, "holds": self.holds(number, entry)})

    def read_react(self, number, entry):
        self.reactions[entry["id"]].append({**entry, "holds": self.holds(number, entry)})

    def read_look(self, _, entry):
        if entry["state"] is None:
            self.missing.append(entry["id"])
        elif entry["state"] == "synced":
            self.reported_delivered.add(entry["id"])

    def read_fault(self, number, entry):
        pass

    def read_part(self, _, entry):
        self.witnessed.append(entry)

    def read_snapshot(self, _, entry):
        self.witnessed.append(entry)

    def read_page(self, _, entry):
        self.pages[entry["channel"]] = entry["messages"]

    def read_channel(self, _, entry):
        self.channels[entry["channel"]] = entry["value"]

    def read_view(self, _, entry):
        self.views[entry["client"], entry["channel"]] = entry["messages"]

    def read_state(self, _, entry):
        self.states[entry["id"]] = entry

    # What follows from several entries.

    def on_hub(self):
        """Returns the messages of all channels at the end, by id, each with its channel."""
        return {message["id"]: {**message, "channel": channel}
                for channel, messages in self.pages.items() for message in messages}

    def texts_of(self, message):
        """Returns the texts that a message may have: the last acknowledged one, and those that may have followed."""
        texts = [self.created[message]["text"]]
        for edit in self.edits[message]:
            texts = [edit["text"]] if edit["holds"] else [*texts, edit["text"]]
        return texts

    def ever_failed(self, message):
        return "error" in self.states.get(message, {}).get("history", [])


def nothing_is_lost(facts):
    """An acknowledged message is on the hub, unless it was deleted."""
    on_hub = facts.on_hub()
    for message, creation in facts.created.items():
        if message in facts.deleted or message in facts.may_be_deleted:
            continue
        if message not in on_hub:
            yield f"message {message} ({creation['text']}) was acknowledged and is not on the hub"
        elif on_hub[message]["channel"] != creation["channel"]:
            yield f"message {message} is in another channel"
        elif on_hub[message]["sender"] != creation["client"]:
            yield f"message {message} has another sender"


def nothing_appears_from_nowhere(facts):
    """What is on the hub was created by a person."""
    known = {entry["text"] for entry in facts.unconfirmed}
    for edits in facts.edits.values():
        known |= {edit["text"] for edit in edits}
    for message, stored in facts.on_hub().items():
        if message not in facts.created and stored["text"] not in known:
            yield f"message {message} ({stored['text']}) was created by nobody"


def nothing_is_doubled(facts):
    """Each message is on the hub once: by its id, and by its text, which no second message was given."""
    for channel, messages in facts.pages.items():
        for key in ("id", "position", "text"):
            counts = collections.Counter(message[key] for message in messages)
            for value, count in counts.items():
                if count > 1:
                    yield f"{key} {value} is {count} times in {channel}"
    places = collections.Counter(message["id"] for messages in facts.pages.values() for message in messages)
    for message, count in places.items():
        if count > 1:
            yield f"message {message} is in {count} channels"


def content_is_the_last_one(facts):
    """A message has the content of its last acknowledged edit."""
    on_hub = facts.on_hub()
    for message in facts.created:
        if message in on_hub and on_hub[message]["text"] not in facts.texts_of(message):
            yield f"message {message} is {on_hub[message]['text']!r} instead of {facts.texts_of(message)[-1]!r}"


def deleted_is_gone(facts):
    """An acknowledged deletion removes the message from the hub, for ever."""
    on_hub = facts.on_hub()
    for message in facts.deleted:
        if message in on_hub:
            yield f"message {message} was deleted and is on the hub"


def order_is_that_of_creation(facts):
    """The messages of a client are in a channel in the order of their creation, except those that failed meanwhile."""
    on_hub = facts.on_hub()
    last = {}
    for message, creation in facts.created.items():
        if message not in on_hub or facts.ever_failed(message):
            continue
        key = creation["client"], creation["channel"]
        position = on_hub[message]["position"]
        if key in last and last[key][0] > position:
            yield f"message {message} at {position} was created after {last[key][1]} at {last[key][0]}"
        last[key] = max(last.get(key, (0, "")), (position, message))


def reactions_are_the_last_ones(facts):
    """A reaction is there exactly if the last word about it was to add it."""
    on_hub = facts.on_hub()
    for message, entries in facts.reactions.items():
        if message not in on_hub or any(not entry["holds"] for entry in entries):
            continue
        last = {(entry["client"], entry["name"]): entry["isAdded"] for entry in entries}
        counts = collections.Counter(name for (_, name), is_added in last.items() if is_added)
        if counts != collections.Counter(on_hub[message]["reactions"]):
            yield f"message {message} has the reactions {on_hub[message]['reactions']} instead of {dict(counts)}"


def positions_are_never_reused(facts):
    """A position of a channel belongs to one message, in whatever history of the hub."""
    owners = {}
    shown = [(channel, message["position"], message["id"])
             for channel, messages in facts.pages.items() for message in messages]
    for entry in facts.witnessed:
        if entry["entry"] == "snapshot":
            shown += [(entry["channel"], message["position"], message["id"]) for message in entry["messages"]]
        else:
            shown += [(event["topic"].removeprefix("channel:"), event["value"]["position"], event["id"])
                      for event in entry["events"] if event["kind"] == "message" and event.get("value")]
    for channel, position, message in shown:
        owner = owners.setdefault((channel, position), message)
        if owner != message:
            yield f"position {position} of {channel} was that of {owner} and is that of {message}"


def versions_grow(facts):
    """The versions of a record grow within one history, and a part has each record once in each topic."""
    versions = {}
    for entry in facts.witnessed:
        if entry["entry"] == "snapshot":
            continue
        if entry["isReset"]:
            versions = {}
        seen = set()
        for event in entry["events"]:
            key = event["topic"], event["kind"], event["id"]
            if key in seen:
                yield f"a part has {key} twice"
            seen.add(key)
            if event["version"] < versions.get(key, 0):
                yield f"{key} is at version {event['version']} after {versions[key]}"
            versions[key] = event["version"]


def events_lead_to_the_state(facts):
    """The state that was read, and the events since, are the state of now."""
    state = {channel: {} for channel in facts.pages}
    for entry in facts.witnessed:
        if entry["entry"] == "snapshot":
            state[entry["channel"]] = {message["id"]: message for message in entry["messages"]}
            continue
        for event in entry["events"]:
            channel = event["topic"].removeprefix("channel:")
            if event["kind"] != "message" or channel not in state:
                continue
            if event.get("value"):
                state[channel][event["id"]] = event["value"]
            else:
                state[channel].pop(event["id"], None)
    for channel, messages in facts.pages.items():
        pages = {message["id"]: message for message in messages}
        for message in pages.keys() | state[channel].keys():
            if pages.get(message) != state[channel].get(message):
                yield f"message {message} of {channel}: the events say {state[channel].get(message)}, " \
                      f"the page {pages.get(message)}"


def channels_count_their_messages(facts):
    """The record of a channel counts the messages that are there, and knows the last position."""
    for channel, messages in facts.pages.items():
        value = facts.channels[channel]
        if value["messageCount"] != len(messages):
            yield f"{channel} counts {value['messageCount']} messages and has {len(messages)}"
        if messages and value["lastPosition"] < max(message["position"] for message in messages):
            yield f"the last position of {channel} is {value['lastPosition']}, below that of a message"


def clients_show_what_the_hub_has(facts):
    """When nothing is pending, each client shows the channel as the hub has it."""
    for (client, channel), shown in facts.views.items():
        wanted = [{key: message[key] for key in ("id", "text", "position")} for message in facts.pages[channel]]
        if shown != wanted:
            differing = next((pair for pair in zip(shown, wanted) if pair[0] != pair[1]), (len(shown), len(wanted)))
            yield f"{client} shows another {channel}: {differing}"


def acknowledged_is_visible(facts):
    """A message that was acknowledged can be read at once, and stays."""
    for message in facts.missing:
        if message in facts.created and message not in facts.deleted and message not in facts.may_be_deleted:
            yield f"message {message} was acknowledged and could not be read"


def delivered_is_delivered(facts):
    """What a client called delivered is on the hub."""
    on_hub = facts.on_hub()
    for message in facts.reported_delivered:
        if message not in on_hub and message not in facts.deleted and message not in facts.may_be_deleted:
            yield f"message {message} was called delivered and is not on the hub"


CHECKS = [
    nothing_is_lost, nothing_appears_from_nowhere, nothing_is_doubled, content_is_the_last_one, deleted_is_gone,
    order_is_that_of_creation, reactions_are_the_last_ones, positions_are_never_reused, versions_grow,
    events_lead_to_the_state, channels_count_their_messages, clients_show_what_the_hub_has, acknowledged_is_visible,
    delivered_is_delivered,
]
