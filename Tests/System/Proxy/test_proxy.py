"""Real programs with nginx between them: TLS ends there, and its buffering stays on.

Run by Tools/test-proxy. The configuration is the documented one (Documentation/nginx/causeway.conf), with other ports
and paths.
"""

import asyncio
import base64
import contextlib
import hashlib
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest

import websockets

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
BIN = pathlib.Path(os.environ.get("CAUSEWAY_BIN") or ROOT / ".build" / "debug")
CONFIGURATION = ROOT / "Documentation" / "nginx" / "causeway.conf"
SECONDS_MAX = 120
EVENTS = "/v1/events"
FORM = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log notice;
worker_processes 1;
user root;
events {{ worker_connections 512; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/causeway.conf;
}}
"""


def wait_for(what, condition):
    end = time.monotonic() + SECONDS_MAX
    while not (found := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"timed out: {what}")
        time.sleep(0.02)
    return found


def free_port():
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return chosen.getsockname()[1]


def can_connect(port):
    try:
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    except ConnectionRefusedError:
        return False


class World:
    """A hub without TLS, nginx before it, and a daemon on a store of its own."""

    def __enter__(self):
        self.files = tempfile.TemporaryDirectory(prefix="cw")
        self.folder = pathlib.Path(self.files.name)
        self.processes = []
        try:
            self.start_hub()
            self.start_nginx()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
            process.wait()
        self.files.cleanup()

    def start(self, command, log, **options):
        with open(self.folder / log, "w") as output:
            process = subprocess.Popen([str(part) for part in command], stdout=output, stderr=output, **options)
        self.processes.append(process)
        return process

    def start_hub(self):
        data = self.folder / "hub"
        names = ["--name", "127.0.0.1", "--name", "localhost"]
        arguments = ["init", "--data", data, *names, "--account", "ann", "--channel", "general"]
        subprocess.run([BIN / "causeway-hub", *arguments], check=True, capture_output=True)
        self.token = (data / "tokens" / "ann.token").read_text().strip()
        self.authority = data / "tls" / "ca.pem"
        self.hub_port = free_port()
        self.start(
            [BIN / "causeway-hub", "serve", "--data", data, "--listen", f"127.0.0.1:{self.hub_port}", "--plain"],
            "hub.log")
        wait_for("the hub listens", lambda: can_connect(self.hub_port))

    def start_nginx(self):
        self.port = free_port()
        tls = self.folder / "hub" / "tls"
        text = CONFIGURATION.read_text()
        changes = {
            "server 127.0.0.1:8080": f"server 127.0.0.1:{self.hub_port}",
            "listen 443": f"listen 127.0.0.1:{self.port}",
            "/etc/ssl/causeway/fullchain.pem": str(tls / "server.pem"),
            "/etc/ssl/causeway/key.pem": str(tls / "server.key"),
        }
        for old, new in changes.items():
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        (self.folder / "causeway.conf").write_text(text)
        configuration = self.folder / "nginx.conf"
        configuration.write_text(FORM.format(folder=self.folder))
        self.nginx = self.start(["nginx", "-p", self.folder, "-c", configuration], "nginx.log")
        wait_for("nginx listens", lambda: can_connect(self.port) or self.nginx.poll() is not None)
        if self.nginx.poll() is not None:
            raise AssertionError((self.folder / "nginx.log").read_text())

    def start_daemon(self, scheme):
        environment = {
            **os.environ, "CAUSEWAY_STORE": str(self.folder / "store"), "CAUSEWAY_CA": str(self.authority),
            "CAUSEWAY_SOCKET": str(self.folder / "run" / "control.sock"),
            "CAUSEWAY_CONFIG": str(self.folder / "none.json"),
        }
        (self.folder / "none.json").write_text("{}")
        self.environment = environment
        self.start([BIN / "causewayd"], "daemon.log", env=environment)
        wait_for("the daemon listens", (self.folder / "run" / "control.sock").exists)
        token = self.folder / "hub" / "tokens" / "ann.token"
        self.causeway("login", f"{scheme}://localhost:{self.port}", "--ca", self.authority, "--token-file", token)

    def causeway(self, *arguments, check=True, **options):
        done = subprocess.run(
            [BIN / "causeway", *arguments], env=self.environment, capture_output=True, text=True,
            timeout=SECONDS_MAX, **options)
        if check and done.returncode:
            raise AssertionError(f"causeway {arguments[0]}: {done.stderr}")
        return done

    def kill_proxied_connections(self):
        """Kills nginx's worker, and with it every connection; the master starts another one."""
        children = pathlib.Path(f"/proc/{self.nginx.pid}/task/{self.nginx.pid}/children")
        before = children.read_text().split()
        for worker in before:
            os.kill(int(worker), signal.SIGKILL)
        wait_for("nginx has a new worker", lambda: set(children.read_text().split()) - set(before))

    @property
    def trust(self):
        return ssl.create_default_context(cafile=self.authority)

    def request(self, method, path, body=None, fields=None, port=None):
        """A request through nginx, or with a port to the hub itself."""
        if port:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS_MAX)
        else:
            connection = http.client.HTTPSConnection("localhost", self.port, timeout=SECONDS_MAX, context=self.trust)
        connection.request(method, path, body, {"Authorization": f"Bearer {self.token}", **(fields or {})})
        response = connection.getresponse()
        return response, connection

    def get(self, path, **options):
        response, connection = self.request("GET", path, **options)
        with contextlib.closing(connection):
            assert response.status == 200, (path, response.status, response.read())
            return json.loads(response.read())

    def texts(self):
        """All texts of the channel, oldest first, read from the hub itself."""
        texts, path = [], "/v1/channels/general/messages?limit=100"
        page = self.get(path, port=self.hub_port)
        while True:
            texts = [item["content"]["text"] for item in page["messages"]] + texts
            if not page["messages"] or page["messages"][0]["position"] == 1:
                return texts
            first = page["messages"][0]["position"]
            page = self.get(f"{path}&before={first}", port=self.hub_port)

    def count(self):
        page = self.get("/v1/channels/general/messages?limit=1", port=self.hub_port)
        return page["messages"][-1]["position"] if page["messages"] else 0


def identifier(number):
    return f"0190a6b2-0000-7000-8000-{number:012x}"


def delivery(number):
    operation = {
        "kind": "send", "sequence": number, "previous": number - 1, "id": identifier(number), "channel": "general",
        "content": {"v": 1, "type": "text", "text": f"message {number}"}, "createdAt": 1000 + number,
    }
    return json.dumps({"outbox": identifier(0), "epoch": 1, "lane": "text", "operations": [operation]})


def deliver(world, number):
    fields = {"Content-Type": "application/json"}
    response, connection = world.request("POST", "/v1/deliveries", delivery(number), fields)
    with contextlib.closing(connection):
        assert response.status == 200, response.read()
        return json.loads(response.read())["results"][0]["kind"]


class ProxyTests(unittest.TestCase):
    def test_every_carrier_works(self):
        with World() as world:
            self.check_http(world)
            self.check_long_poll(world)
            self.check_stream(world)
            asyncio.run(self.check_socket(world))
            self.check_uploads(world)
            self.assertNotIn(" error ", (world.folder / "hub.log").read_text())

    def check_http(self, world):
        self.assertEqual(deliver(world, 1), "accepted")
        self.assertEqual(deliver(world, 1), "accepted")
        self.assertEqual(world.texts(), ["message 1"])

    def check_long_poll(self, world):
        cursor = world.get(EVENTS)["cursor"]
        response, connection = None, http.client.HTTPSConnection("localhost", world.port, context=world.trust)
        with contextlib.closing(connection):
            fields = {"Authorization": f"Bearer {world.token}"}
            connection.request("GET", f"{EVENTS}?cursor={cursor}&wait=25", headers=fields)
            self.assertEqual(deliver(world, 2), "accepted")
            response = connection.getresponse()
            events = json.loads(response.read())["events"]
        self.assertIn(identifier(2), [event["id"] for event in events])

    def check_stream(self, world):
        """Each event comes although nginx buffers responses, and while the response goes on."""
        cursor = world.get(EVENTS)["cursor"]
        response, connection = world.request(
            "GET", f"{EVENTS}?cursor={cursor}", fields={"Accept": "text/event-stream"})
        with contextlib.closing(connection):
            self.assertEqual(response.status, 200)
            for number in (3, 4):
                self.assertEqual(deliver(world, number), "accepted")
                while identifier(number) not in (line := response.readline().decode()):
                    self.assertTrue(line, "the stream ended")

    async def check_socket(self, world):
        async with asyncio.timeout(SECONDS_MAX), websockets.connect(
                f"wss://localhost:{world.port}/v1/socket", ssl=world.trust, subprotocols=["causeway.v1"], origin=None,
                proxy=None, additional_headers={"Authorization": f"Bearer {world.token}"}) as opened:
            head = {"id": 1, "method": "GET", "path": EVENTS, "headers": {"Accept": "text/event-stream"}}
            await opened.send(json.dumps(head))
            self.assertTrue(json.loads(await opened.recv())["more"])
            body = {"id": 2, "method": "POST", "path": "/v1/deliveries", "headers": {}, "body": json.loads(delivery(5))}
            await opened.send(json.dumps(body))
            ids = set()
            while ids != {1, 2}:
                received = json.loads(await opened.recv())
                ids.add(received["id"])
                if received["id"] == 1:
                    self.assertIn(identifier(5), [event["id"] for event in received["body"]["events"]])

    def check_uploads(self, world):
        data = os.urandom(3_000_000)
        digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
        fields = {
            "Upload-Draft-Interop-Version": "8", "Upload-Complete": "?0", "Upload-Length": str(len(data)),
            "Repr-Digest": f"sha-256=:{digest}:",
        }
        response, connection = world.request("POST", "/v1/uploads", data[:1_000_000], fields)
        with contextlib.closing(connection):
            self.assertEqual(response.status, 201, response.read())
            location = response.getheader("Location")
        path = re.sub(r"^https?://[^/]*", "", location)
        fields = {
            "Upload-Draft-Interop-Version": "8", "Upload-Complete": "?1", "Upload-Offset": "1000000",
            "Content-Type": "application/partial-upload",
        }
        response, connection = world.request("PATCH", path, data[1_000_000:], fields)
        with contextlib.closing(connection):
            body = response.read()
            self.assertEqual(response.status, 200, body)
            self.assertEqual(json.loads(body)["sha256"], hashlib.sha256(data).hexdigest())

    def check_order(self, scheme):
        """Connections that are killed in the middle of a backlog."""
        with World() as world:
            world.start_daemon(scheme)
            world.causeway("send", "general", "first", "--wait")
            self.assertEqual(scheme == "wss", "over WebSocket" in world.causeway("status").stdout)
            texts, size, was_cut = [], 1_000, False
            # A larger one, if the last backlog was gone before the connections were killed. No text can be compressed.
            while not was_cut and size <= 8_000:
                before = world.count()
                more = [f"message {number} {os.urandom(1_000).hex()}" for number in range(size)]
                world.causeway("pause")
                world.causeway("send", "general", "--lines", input="\n".join(more))
                world.causeway("resume")
                wait_for("a part has arrived", lambda: world.count() > before)
                world.kill_proxied_connections()
                was_cut = world.count() < before + size
                texts, size = texts + more, size * 2
                wait_for("all have arrived", lambda: world.count() == len(texts) + 1)
            self.assertTrue(was_cut)
            world.causeway("send", "general", "last", "--wait")
            self.assertEqual(world.texts(), ["first", *texts, "last"])
            self.assertIn("notice", (world.folder / "error.log").read_text())

    def test_killed_connections_keep_order_over_http(self):
        self.check_order("https")

    def test_killed_connections_keep_order_over_a_socket(self):
        # Not auto, which would test HTTP again if the socket did not open.
        self.check_order("wss")


if __name__ == "__main__":
    unittest.main()
