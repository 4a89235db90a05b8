"""The hub's socket with an independent client: the package websockets, over TLS."""

import asyncio
import json
import logging
import os
import pathlib
import re
import ssl
import subprocess
import tempfile
import unittest
import urllib.request

import jsonschema
import websockets
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

SECONDS_MAX = 120
# The start of a hub blocks the loop, which is reported otherwise.
logging.getLogger("asyncio").setLevel(logging.ERROR)
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
HUB = pathlib.Path(os.environ.get("CAUSEWAY_BIN") or ROOT / ".build" / "debug") / "causeway-hub"


class Hub:
    """A hub as a real process, with two accounts."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.data = pathlib.Path(self.folder.name) / "hub"
        arguments = ["init", "--data", self.data, "--account", "ann", "--channel", "general"]
        subprocess.run([HUB, *arguments], check=True, capture_output=True)
        self.process = subprocess.Popen(
            [HUB, "serve", "--data", self.data, "--listen", "127.0.0.1:0"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            found = re.search(r"listening address=https://[^ ]*:(\d+)", line)
            if found:
                self.port = int(found[1])
                return self
        raise AssertionError("the hub did not start")

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()

    def contract(self):
        """The description that the hub serves."""
        trust = ssl.create_default_context(cafile=self.data / "tls" / "ca.pem")
        with urllib.request.urlopen(f"https://localhost:{self.port}/v1/asyncapi.json", context=trust) as response:
            return json.load(response)

    def connect(self, **options):
        token = (self.data / "tokens" / "ann.token").read_text().strip()
        trust = ssl.create_default_context(cafile=self.data / "tls" / "ca.pem")
        return websockets.connect(
            f"wss://localhost:{self.port}/v1/socket", ssl=trust, subprotocols=["causeway.v1"], origin=None,
            proxy=None, max_size=None, additional_headers={"Authorization": f"Bearer {token}"}, **options)


async def ask(socket, number, method, path, body=None, headers=None):
    """Sends a request."""
    message = {"id": number, "method": method, "path": path, "headers": headers or {}}
    if body is not None:
        message["body"] = body
    await socket.send(json.dumps(message))


async def message(socket):
    async with asyncio.timeout(SECONDS_MAX):
        return json.loads(await socket.recv())


def identifier(number):
    return f"0190a6b2-0000-7000-8000-{number:012x}"


def delivery(sequences):
    operations = [
        {
            "kind": "send", "sequence": number, "previous": number - 1, "id": identifier(number),
            "channel": "general",
            "content": {"v": 1, "type": "text", "text": f"message {number}"}, "createdAt": 1000 + number,
        }
        for number in sequences
    ]
    return {"outbox": identifier(0), "epoch": 1, "lane": "text", "operations": operations}


class Contract:
    """Holds messages to the schemas of the description."""

    def __init__(self, document):
        self.document = document

    def check(self, name, value):
        schema = {"$ref": f"#/components/schemas/{name}", "components": self.document["components"]}
        jsonschema.Draft202012Validator(schema).validate(value)


class SocketTests(unittest.IsolatedAsyncioTestCase):
    async def test_a_message_is_sent_and_comes_as_an_event(self):
        with Hub() as hub:
            async with hub.connect() as socket:
                self.assertEqual(socket.subprotocol, "causeway.v1")
                await ask(socket, 1, "GET", "/v1/session")
                session = await message(socket)
                self.assertEqual((session["id"], session["status"]), (1, 200))
                self.assertEqual(session["body"]["user"], "ann")
                await ask(socket, 2, "GET", "/v1/events", headers={"Accept": "text/event-stream"})
                first = await message(socket)
                self.assertTrue(first["more"] and first["body"]["isUpToDate"])
                await ask(socket, 3, "POST", "/v1/deliveries", delivery([1, 2]))
                # The response and the event come in any order.
                ids, results = set(), None
                while results is None or len(ids) < 2:
                    received = await message(socket)
                    if received["id"] == 3:
                        results = [result["kind"] for result in received["body"]["results"]]
                    else:
                        self.assertEqual(received["id"], 2)
                        ids |= {event["id"] for event in received["body"]["events"] if event["kind"] == "message"}
                        await socket.send(json.dumps({"id": 2, "read": 2}))
                self.assertEqual(results, ["accepted", "accepted"])
                await socket.send(json.dumps({"id": 2, "cancel": True}))
                while "more" in (last := await message(socket)):
                    pass
                self.assertEqual((last["id"], last["status"]), (2, 200))

    async def test_messages_are_as_described(self):
        with Hub() as hub:
            contract = Contract(await asyncio.to_thread(hub.contract))
            for message_kind in contract.document["components"]["messages"].values():
                name = message_kind["payload"]["$ref"].rsplit("/", 1)[1]
                for example in message_kind["examples"]:
                    contract.check(name, example["payload"])
            async with hub.connect() as socket:
                requests = [
                    {"id": 1, "method": "GET", "path": "/v1/session"}, {"id": 2, "method": "GET", "path": "/v1/none"},
                    {"id": 3, "method": "PUT", "path": "/v1/channels/other"},
                    {"id": 4, "method": "POST", "path": "/v1/deliveries", "body": delivery([1])},
                    {"id": 5, "method": "GET", "path": "/v1/events", "headers": {"accept": "text/event-stream"}},
                ]
                for request in requests:
                    contract.check("Request", request)
                    await socket.send(json.dumps(request))
                    contract.check("Response", await message(socket))
                cancel = {"id": 5, "cancel": True}
                contract.check("Cancel", cancel)
                await socket.send(json.dumps(cancel))
                while "more" in (last := await message(socket)):
                    contract.check("Response", last)
                contract.check("Response", last)
            with self.assertRaises(jsonschema.ValidationError):
                contract.check("Response", {"id": 1})

    async def test_long_messages_cross_in_both_directions(self):
        with Hub() as hub:
            async with hub.connect() as socket:
                long = delivery(range(1, 101))
                for operation in long["operations"]:
                    operation["content"]["text"] = "x" * 9000
                await ask(socket, 1, "POST", "/v1/deliveries", long)
                self.assertEqual((await message(socket))["body"]["mark"], 100)
                await ask(socket, 2, "GET", "/v1/channels/general/messages?limit=100")
                page = await message(socket)
                self.assertEqual(len(page["body"]["messages"]), 100)

    async def test_messages_are_compressed_where_the_client_takes_it(self):
        offers = {
            "off": ({"compression": None}, None), "on": ({}, 15),
            "small windows": ({"compression": None, "extensions": [ClientPerMessageDeflateFactory(
                server_max_window_bits=9, client_max_window_bits=9)]}, 9),
        }
        with Hub() as hub:
            for number, (name, (options, window)) in enumerate(offers.items()):
                with self.subTest(name):
                    async with hub.connect(**options) as socket:
                        agreed = socket.protocol.extensions
                        if window is None:
                            self.assertEqual(agreed, [])
                        else:
                            # No context is kept in either direction.
                            self.assertTrue(agreed[0].remote_no_context_takeover)
                            self.assertTrue(agreed[0].local_no_context_takeover)
                            self.assertEqual(agreed[0].remote_max_window_bits, window)
                        first = 1 + 100 * number
                        await ask(socket, 1, "POST", "/v1/deliveries", delivery(range(first, first + 100)))
                        self.assertEqual((await message(socket))["body"]["mark"], first + 99)
                        for identifier_of_page in (2, 3):
                            await ask(socket, identifier_of_page, "GET", "/v1/channels/general/messages?limit=1000")
                            self.assertEqual(len((await message(socket))["body"]["messages"]), first + 99)

    async def test_a_bomb_ends_the_connection(self):
        with Hub() as hub:
            async with hub.connect() as socket:
                await socket.send(" " * 5_000_000)
                with self.assertRaises(websockets.ConnectionClosedError):
                    await message(socket)
                self.assertEqual(socket.close_code, 1009)

    async def test_pings_and_closes_are_answered(self):
        with Hub() as hub:
            async with hub.connect(ping_interval=None) as socket:
                async with asyncio.timeout(SECONDS_MAX):
                    await (await socket.ping())
            self.assertEqual((socket.close_code, socket.close_reason), (1000, ""))

    async def test_a_wrong_token_has_the_usual_response(self):
        with Hub() as hub:
            with self.assertRaises(websockets.InvalidStatus) as refused:
                headers = {"Authorization": "Bearer wrong"}
                trust = ssl.create_default_context(cafile=hub.data / "tls" / "ca.pem")
                await websockets.connect(
                    f"wss://localhost:{hub.port}/v1/socket", ssl=trust, subprotocols=["causeway.v1"], proxy=None,
                    additional_headers=headers)
            self.assertEqual(refused.exception.response.status_code, 401)

    async def test_a_stopping_hub_says_so(self):
        with Hub() as hub:
            async with hub.connect() as socket:
                await ask(socket, 1, "GET", "/v1/session")
                await message(socket)
                hub.process.terminate()
                with self.assertRaises(websockets.ConnectionClosedOK):
                    await message(socket)
                self.assertEqual(socket.close_code, 1001)
            self.assertEqual(hub.process.wait(SECONDS_MAX), 0)


if __name__ == "__main__":
    unittest.main()
