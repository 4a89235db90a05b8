"""Independent clients that record a history: people at the daemons, and a witness that follows the hub's log.

Entries of a history, each an object with `entry`:

    create    client, channel, text, id if isAcknowledged
    edit      client, id, text, isAcknowledged; react with name and isAdded; delete
    look      client, id, state: the state that the daemon showed, None if it does not know the message
    fault     what
    part      isReset, limited, events: a part of the hub's log as the witness read it
    snapshot  channel, messages: the pages that it read after a reset or for a limited topic
    page      channel, messages: the pages at the end; channel: its record; view: what a client shows
    state     id, history: the states of a message at the end
"""

import http.client
import json
import socket
import threading
import urllib.parse

SECONDS_MAX = 60


class History:
    """The entries in the order in which they were recorded, by several threads."""

    def __init__(self):
        self.entries = []
        self.lock = threading.Lock()

    def add(self, entry, **fields):
        with self.lock:
            self.entries.append({"entry": entry, **fields})


class Unreachable(Exception):
    """A request that had no response: whether it took effect is not known."""


class ControlConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("causeway", timeout=SECONDS_MAX)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(SECONDS_MAX)
        self.sock.connect(str(self.path))


def request(connection, method, path, body=None, headers=None):
    """Returns the status and the JSON of a response."""
    try:
        connection.request(method, path, None if body is None else json.dumps(body),
                           {"Content-Type": "application/json", **(headers or {})})
        response = connection.getresponse()
        return response.status, json.loads(response.read() or b"null")
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unreachable(f"{method} {path}: {error}") from error
    finally:
        connection.close()


class Person:
    """Somebody at a daemon: one action after the other, each recorded with whether it was acknowledged."""

    def __init__(self, name, control, channels, history, random):
        self.name, self.control, self.channels, self.history, self.random = name, control, channels, history, random
        self.count = 0
        self.messages = []

    def ask(self, method, path, body=None):
        return request(ControlConnection(self.control), method, path, body)

    def act(self):
        kind = self.random.choices(["create", "edit", "react", "delete", "look"], [70, 8, 7, 5, 10])[0]
        if kind == "create" or not self.messages:
            return self.create()
        message = self.random.choice(self.messages[-20:])
        if kind == "look":
            return self.look(message)
        path, body, fields = getattr(self, kind)(message)
        try:
            status, _ = self.ask("POST", path, body)
        except Unreachable:
            status = None
        # A refusal takes no effect: the message was deleted, or failed for good.
        if status is None or status < 300:
            self.history.add(kind, client=self.name, id=message, isAcknowledged=status is not None, **fields)
        return None

    def create(self):
        self.count += 1
        channel, text = self.random.choice(self.channels), f"{self.name} {self.count}"
        fields = {"client": self.name, "channel": channel, "text": text}
        try:
            status, found = self.ask("POST", "/v1/messages", {"channel": channel, "text": text})
        except Unreachable:
            self.history.add("create", isAcknowledged=False, **fields)
            return
        if status != 201:
            raise AssertionError(f"a message was refused: {status} {found}")
        self.messages += found["ids"]
        self.history.add("create", isAcknowledged=True, id=found["ids"][0], **fields)

    def edit(self, message):
        self.count += 1
        text = f"{self.name} {self.count} edited"
        return f"/v1/messages/{message}/edit", {"text": text}, {"text": text}

    def react(self, message):
        name, is_added = self.random.choice("ab"), self.random.random() < 0.7
        body = {"name": name, **({} if is_added else {"remove": True})}
        return f"/v1/messages/{message}/reactions", body, {"name": name, "isAdded": is_added}

    def delete(self, message):
        self.messages.remove(message)
        return "/v1/delete", {"ids": [message], "by": "api"}, {}

    def look(self, message):
        try:
            status, found = self.ask("GET", f"/v1/messages/{message}")
        except Unreachable:
            return
        state = None if status == 404 else found["state"]
        self.history.add("look", client=self.name, id=message, state=state)

    # MARK: The end

    def pending(self):
        """Returns the numbers of waiting and of failed messages; what failed is sent again."""
        status, found = self.ask("GET", "/v1/status")
        if status != 200:
            raise Unreachable(f"{status} {found}")
        if found["counts"]["error"]:
            self.ask("POST", "/v1/resend-failed", {})
        return found["counts"]["undelivered"]

    def all_messages(self, channel):
        """Returns all that the daemon shows of a channel, oldest first."""
        messages, after = [], ""
        while True:
            path = f"/v1/channels/{channel}/messages?limit=1000&refresh=required{after}"
            status, found = self.ask("GET", path)
            if status != 200 or not found["refreshed"]:
                raise Unreachable(f"{path}: {status} {found}")
            messages += found["messages"]
            if not found.get("next"):
                return messages[::-1]
            after = "&after=" + urllib.parse.quote(str(found["next"]))

    def record_view(self):
        for channel in self.channels:
            messages = self.all_messages(channel)
            for message in messages:
                if message["sender"] == self.name:
                    self.history.add("state", id=message["id"],
                                     history=[change["state"] for change in message["history"]])
            self.history.add("view", client=self.name, channel=channel, messages=[
                {"id": message["id"], "text": message["text"], "position": message.get("position")}
                for message in messages])


class Witness:
    """A member that only reads: the hub's log from its beginning to its end, and pages where the log asks for it."""

    def __init__(self, token, channels, history):
        self.token, self.channels, self.history = token, channels, history
        self.port = None
        self.cursor = None
        self.has_all = threading.Event()
        self.is_ending = False

    def get(self, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS_MAX)
        status, found = request(connection, "GET", path, headers={"Authorization": f"Bearer {self.token}"})
        if status != 200:
            raise Unreachable(f"{path}: {status} {found}")
        return found

    def follow(self, pause):
        """Reads parts until it is told that nothing more follows, and the log says so."""
        while not self.has_all.is_set():
            is_ending = self.is_ending
            try:
                part = self.read()
            except Unreachable:
                pause()
                continue
            if is_ending and part["isUpToDate"] and not part["events"]:
                self.has_all.set()

    def read(self):
        if self.cursor is None:
            self.cursor = self.get("/v1/events")["cursor"]
        part = self.get(f"/v1/events?wait=1&cursor={urllib.parse.quote(self.cursor)}")
        limited = [topic.removeprefix("channel:") for topic in part["limited"] if topic.startswith("channel:")]
        # Pages that cannot be read now are asked for with the same cursor again.
        pages = {channel: self.page(channel) for channel in (self.channels if part["isReset"] else limited)}
        events = [{**event, "value": shown(event["value"])} if event["kind"] == "message" and "value" in event
                  else event for event in part["events"]]
        self.history.add("part", isReset=part["isReset"], limited=limited, events=events)
        for channel, messages in pages.items():
            self.history.add("snapshot", channel=channel, messages=messages)
        self.cursor = part["cursor"]
        return part

    def page(self, channel):
        messages, after = [], 0
        while True:
            found = self.get(f"/v1/channels/{channel}/messages?limit=1000&after={after}")
            messages += [shown(message) for message in found["messages"]]
            if not found["hasMore"]:
                return messages
            after = found["through"]

    def record_end(self):
        for channel in self.channels:
            self.history.add("page", channel=channel, messages=self.page(channel))
            self.history.add("channel", channel=channel, value=self.get(f"/v1/records/channel/{channel}")["value"])


def shown(message):
    """What a person sees of a message on the hub."""
    return {"id": message["id"], "sender": message["sender"], "position": message["position"],
            "text": message["content"]["text"], "reactions": message.get("reactions", {})}
