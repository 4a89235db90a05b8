"""A client of resumable uploads, written from the text of draft-ietf-httpbis-resumable-upload-11 alone.

Each case is named after the requirement that it checks ("MUST" for servers). Run by Tools/test-uploads against a real
hub: HUB_ADDRESS (http://127.0.0.1:PORT), HUB_TOKEN and HUB_OTHER_TOKEN.
"""

import base64
import hashlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
import unittest
from urllib.parse import urlsplit

ADDRESS = urlsplit(os.environ["HUB_ADDRESS"])
TOKEN = os.environ["HUB_TOKEN"]
OTHER = os.environ["HUB_OTHER_TOKEN"]
PROBLEMS = "https://iana.org/assignments/http-problem-types#"


class Reply:
    def __init__(self, status, fields, body=b""):
        self.status, self.fields, self.body = status, fields, body

    def __getitem__(self, name):
        return self.fields.get(name.lower())

    @property
    def problem(self):
        if self["Content-Type"] != "application/problem+json":
            return None
        return json.loads(self.body)["type"].removeprefix(PROBLEMS)


def read_replies(stream, method):
    """All responses of one request: the interim ones, and the final one at the end."""
    replies = []
    while True:
        line = stream.readline().decode()
        if not line:
            return replies
        status = int(line.split()[1])
        fields = {}
        while (field := stream.readline().decode().rstrip("\r\n")) != "":
            name, value = field.split(":", 1)
            fields[name.lower()] = value.strip()
        if 100 <= status < 200:
            replies.append(Reply(status, fields))
            continue
        length = int(fields.get("content-length", 0))
        has_body = method != "HEAD" and status not in (204, 304)
        replies.append(Reply(status, fields, stream.read(length) if has_body else b""))
        return replies


def connect():
    return socket.create_connection((ADDRESS.hostname, ADDRESS.port), timeout=30)


def head_of(method, path, fields, token):
    lines = [f"{method} {path} HTTP/1.1", f"Host: {ADDRESS.netloc}", f"Authorization: Bearer {token}"]
    lines += [f"{name}: {value}" for name, value in fields.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def exchange(method, path, fields=None, body=b"", token=TOKEN):
    fields = dict(fields or {})
    if method in ("POST", "PATCH") and "Transfer-Encoding" not in fields:
        fields.setdefault("Content-Length", len(body))
    with connect() as connection:
        connection.sendall(head_of(method, path, fields, token) + body)
        return read_replies(connection.makefile("rb"), method)


def request(*arguments, **options):
    return exchange(*arguments, **options)[-1]


def digest(data):
    return "sha-256=:" + base64.b64encode(hashlib.sha256(data).digest()).decode() + ":"


def creation(data, complete, version="8", **more):
    fields = {"Upload-Complete": "?1" if complete else "?0", "Upload-Length": len(data), "Repr-Digest": digest(data)}
    if version:
        fields["Upload-Draft-Interop-Version"] = version
    fields.update({name.replace("_", "-"): value for name, value in more.items()})
    return fields


def append(location, data, offset, complete, **options):
    fields = {"Upload-Complete": "?1" if complete else "?0", "Upload-Offset": offset,
              "Content-Type": "application/partial-upload", "Upload-Draft-Interop-Version": "8"}
    fields.update(options.pop("fields", {}))
    return request("PATCH", location, fields, data, **options)


def begin(data, content=b""):
    reply = request("POST", "/v1/uploads", creation(data, False), content)
    assert reply.status == 201, (reply.status, reply.body)
    return reply["Location"]


def receipt(reply):
    return json.loads(reply.body)["sha256"]


class Uploads(unittest.TestCase):
    def setUp(self):
        self.data = os.urandom(50_000)

    def cancel(self, location):
        request("DELETE", location)

    # 4.2 Upload creation

    def test_creation_with_all_content_is_a_conventional_upload(self):
        reply = request("POST", "/v1/uploads", creation(self.data, True), self.data)
        self.assertEqual(reply.status, 200)
        self.assertEqual(receipt(reply), hashlib.sha256(self.data).hexdigest())

    def test_interim_response_includes_location_and_limits(self):
        replies = exchange("POST", "/v1/uploads", creation(self.data, True), self.data)
        interim = [reply for reply in replies if reply.status == 104]
        self.assertTrue(interim)
        self.assertTrue(interim[0]["Location"])
        self.assertIn("max-size=", interim[0]["Upload-Limit"])

    def test_creation_without_all_content_includes_location_and_limits(self):
        reply = request("POST", "/v1/uploads", creation(self.data, False), self.data[:100])
        self.assertEqual(reply.status, 201)
        self.assertTrue(reply["Location"])
        self.assertIn("max-size=", reply["Upload-Limit"])
        self.cancel(reply["Location"])

    def test_all_responses_name_one_location(self):
        data = os.urandom(9_000_000)
        replies = exchange("POST", "/v1/uploads", creation(data, False), data[:-1])
        locations = {reply["Location"] for reply in replies if reply["Location"]}
        self.assertEqual(len(locations), 1)
        self.cancel(locations.pop())

    def test_interrupted_upload_is_not_complete(self):
        with connect() as connection:
            fields = dict(creation(self.data, True), **{"Content-Length": len(self.data)})
            connection.sendall(head_of("POST", "/v1/uploads", fields, TOKEN) + self.data[:20_000])
            stream = connection.makefile("rb")
            while not (line := stream.readline().decode()).lower().startswith("location:"):
                self.assertTrue(line)
            location = line.split()[1]
        state = request("HEAD", location)
        self.assertEqual(state["Upload-Complete"], "?0")
        self.assertLessEqual(int(state["Upload-Offset"]), 20_000)
        self.cancel(location)
        self.assertEqual(request("HEAD", "/v1/blobs/" + hashlib.sha256(self.data).hexdigest()).status, 404)

    def test_interrupted_append_is_not_complete(self):
        location = begin(self.data)
        fields = {"Upload-Complete": "?1", "Upload-Offset": 0, "Content-Type": "application/partial-upload",
                  "Content-Length": len(self.data), "Upload-Draft-Interop-Version": "8"}
        with connect() as connection:
            connection.sendall(head_of("PATCH", location, fields, TOKEN) + self.data[:20_000])
        state = request("HEAD", location)
        self.assertEqual(state["Upload-Complete"], "?0")
        self.assertLessEqual(int(state["Upload-Offset"]), 20_000)
        self.assertEqual(request("HEAD", "/v1/blobs/" + hashlib.sha256(self.data).hexdigest()).status, 404)
        # What had arrived before the cut may become durable after the first look.
        status = 409
        while status == 409:
            offset = int(request("HEAD", location)["Upload-Offset"])
            self.assertLessEqual(offset, 20_000)
            status = append(location, self.data[offset:], offset, True).status
        self.assertEqual(status, 200)

    # 4.3 Offset retrieval

    def test_head_has_offset_completeness_length_and_limits(self):
        location = begin(self.data, self.data[:123])
        state = request("HEAD", location)
        self.assertEqual(state.status, 204)
        self.assertEqual(state["Upload-Offset"], "123")
        self.assertEqual(state["Upload-Complete"], "?0")
        self.assertEqual(state["Upload-Length"], str(len(self.data)))
        self.assertIn("max-age=", state["Upload-Limit"])
        self.assertEqual(state["Cache-Control"], "no-store")
        self.cancel(location)

    def test_offset_of_a_response_is_accepted_by_the_next_request(self):
        location, offset = begin(self.data), 0
        while offset < len(self.data):
            end = offset + 7000
            reply = append(location, self.data[offset:end], offset, end >= len(self.data))
            if end >= len(self.data):
                self.assertEqual(reply["Upload-Complete"], "?1")
                self.assertEqual(receipt(reply), hashlib.sha256(self.data).hexdigest())
                break
            self.assertEqual((reply.status, reply["Upload-Complete"]), (204, "?0"))
            offset = int(request("HEAD", location)["Upload-Offset"])
            self.assertEqual(offset, end)

    # 4.4 Upload append

    def test_wrong_offset_is_a_conflict_with_the_right_one(self):
        location = begin(self.data, self.data[:10])
        reply = append(location, b"x", 11, False)
        self.assertEqual((reply.status, reply.problem), (409, "mismatching-upload-offset"))
        self.assertEqual(reply["Upload-Offset"], "10")
        problem = json.loads(reply.body)
        self.assertEqual((problem["expected-offset"], problem["provided-offset"]), (10, 11))
        self.cancel(location)

    def test_complete_upload_is_not_modified(self):
        location = begin(self.data)
        self.assertEqual(append(location, self.data, 0, True).status, 200)
        more = append(location, b"x", len(self.data), True)
        self.assertEqual((more.status, more.problem), (400, "inconsistent-upload-length"))
        again = append(location, b"", len(self.data), True)
        self.assertEqual((again.status, again.problem), (400, "completed-upload"))
        self.assertEqual(request("HEAD", location)["Upload-Complete"], "?1")

    def test_final_response_is_marked_even_as_an_error(self):
        location = begin(self.data)
        reply = append(location, bytes(len(self.data)), 0, True)
        self.assertEqual((reply.status, json.loads(reply.body)["code"]), (400, "hashMismatch"))
        self.assertEqual(reply["Upload-Complete"], "?1")
        self.assertEqual(request("HEAD", location).status, 404)

    def test_offset_does_not_exceed_the_length_and_the_upload_is_invalid_then(self):
        location = begin(b"1234")
        reply = append(location, b"5\r\n12345\r\n0\r\n\r\n", 0, True, fields={"Transfer-Encoding": "chunked"})
        self.assertEqual((reply.status, reply.problem), (400, "inconsistent-upload-length"))
        self.assertEqual(request("HEAD", location).status, 404)

    def test_interim_responses_to_append_have_no_location(self):
        data = os.urandom(9_000_000)
        location = begin(data)
        fields = {"Upload-Complete": "?1", "Upload-Offset": 0, "Content-Type": "application/partial-upload",
                  "Upload-Draft-Interop-Version": "8"}
        replies = exchange("PATCH", location, fields, data)
        interim = [reply for reply in replies if reply.status == 104]
        self.assertTrue(interim)
        self.assertTrue(all(reply["Location"] is None and reply["Upload-Offset"] for reply in interim))
        self.assertTrue(all(reply["Upload-Draft-Interop-Version"] == "8" for reply in interim))

    def test_upload_is_completed_without_content(self):
        location = begin(self.data, self.data)
        self.assertEqual(append(location, b"", len(self.data), True).status, 200)

    # 4.1.3 Length

    def test_lengths_must_match(self):
        reply = request("POST", "/v1/uploads", creation(self.data, True, Upload_Length=len(self.data) + 1), self.data)
        self.assertEqual((reply.status, reply.problem), (400, "inconsistent-upload-length"))
        location = begin(self.data)
        reply = append(location, b"x", 0, False, fields={"Upload-Length": 3})
        self.assertEqual((reply.status, reply.problem), (400, "inconsistent-upload-length"))
        self.cancel(location)

    def test_length_is_recorded_from_the_content_length(self):
        fields = creation(self.data, True)
        del fields["Upload-Length"]
        reply = request("POST", "/v1/uploads", fields, self.data)
        self.assertEqual(reply.status, 200)
        self.assertEqual(request("HEAD", reply["Location"])["Upload-Length"], str(len(self.data)))

    def test_malformed_length_is_ignored(self):
        for value in ("x", "-1", "1.0", '"3"', "?1", "3, 3"):
            reply = request("POST", "/v1/uploads", creation(self.data, True, Upload_Length=value), self.data)
            self.assertEqual(reply.status, 200, value)
            self.assertEqual(request("HEAD", reply["Location"])["Upload-Length"], str(len(self.data)), value)
        # Without it a creation has no length at all.
        reply = request("POST", "/v1/uploads", creation(self.data, False, Upload_Length="x"), b"")
        self.assertEqual((reply.status, json.loads(reply.body)["code"]), (400, "lengthMissing"))

    def test_malformed_completeness_is_ignored(self):
        for value in ("x", "1", "?2", "true", "?1, ?1"):
            fields = creation(self.data, True)
            fields["Upload-Complete"] = value
            reply = request("POST", "/v1/uploads", fields, self.data)
            # As if it were not there, which is not a request for an upload here.
            self.assertEqual((reply.status, json.loads(reply.body)["code"]), (400, "completenessMissing"), value)
            location = begin(self.data)
            reply = append(location, self.data, 0, True, fields={"Upload-Complete": value})
            self.assertEqual((reply.status, json.loads(reply.body)["code"]), (400, "completenessMissing"), value)
            self.assertEqual(request("HEAD", location)["Upload-Offset"], "0")
            self.cancel(location)

    # 4.1.4 Limits

    def test_options_names_limits_and_the_patch_format(self):
        reply = request("OPTIONS", "/v1/uploads")
        self.assertEqual(reply["Accept-Patch"], "application/partial-upload")
        self.assertIn("max-size=", reply["Upload-Limit"])

    def test_too_large_includes_the_limits(self):
        reply = request("POST", "/v1/uploads", creation(b"", False, Upload_Length=1 << 40))
        self.assertEqual(reply.status, 413)
        self.assertIn("max-size=", reply["Upload-Limit"])

    def test_fields_of_other_types_are_ignored(self):
        location = begin(self.data)
        for value in ("x", "-1", "1.0", '"0"', "?0"):
            reply = append(location, b"x", value, False)
            self.assertEqual(reply.status, 400, value)
        self.cancel(location)

    # 4.5 Cancellation

    def test_delete_deactivates(self):
        location = begin(self.data, self.data[:10])
        self.assertEqual(request("DELETE", location).status, 204)
        self.assertEqual(request("HEAD", location).status, 404)
        self.assertEqual(append(location, b"x", 10, False).status, 404)

    # 4.6 Concurrency

    def test_a_new_request_ends_the_older_one_and_gets_a_usable_offset(self):
        data = os.urandom(9_000_000)
        location = begin(data)
        fields = {"Upload-Complete": "?1", "Upload-Offset": 0, "Content-Type": "application/partial-upload",
                  "Content-Length": len(data), "Upload-Draft-Interop-Version": "8"}
        with connect() as hanging:
            hanging.sendall(head_of("PATCH", location, fields, TOKEN) + data[:6_000_000])
            # Requests on two connections have no order: the hub is receiving this one for certain.
            self.assertIn(b" 104 ", hanging.makefile("rb").readline())
            offset = int(request("HEAD", location)["Upload-Offset"])
            self.assertGreater(offset, 0)
            reply = append(location, data[offset:], offset, True)
            self.assertEqual(receipt(reply), hashlib.sha256(data).hexdigest())
            hanging.settimeout(30)
            try:
                while hanging.recv(4096):
                    pass
            except ConnectionResetError:
                pass

    # 5 Interop version

    def test_no_interim_response_without_the_version(self):
        for version in (None, "7", "9", "x"):
            replies = exchange("POST", "/v1/uploads", creation(self.data, True, version), self.data)
            self.assertEqual([reply.status for reply in replies], [200], version)

    def test_version_6_has_its_own_limit(self):
        replies = exchange("POST", "/v1/uploads", creation(self.data, True, "6"), self.data)
        self.assertEqual(replies[0].status, 104)
        self.assertEqual(replies[0]["Upload-Draft-Interop-Version"], "6")
        self.assertIn("expires=", replies[0]["Upload-Limit"])

    def test_100_continue_is_not_omitted(self):
        with connect() as connection:
            fields = dict(creation(self.data, True), **{"Content-Length": len(self.data), "Expect": "100-continue"})
            connection.sendall(head_of("POST", "/v1/uploads", fields, TOKEN))
            stream = connection.makefile("rb")
            self.assertIn(b" 100 ", stream.readline())
            connection.sendall(self.data)
            while b" 200 " not in (line := stream.readline()):
                self.assertTrue(line)

    # 13 Security

    def test_another_account_has_no_access(self):
        location = begin(self.data)
        for method in ("HEAD", "DELETE"):
            self.assertEqual(request(method, location, token=OTHER).status, 404)
        self.assertEqual(append(location, b"x", 0, False, token=OTHER).status, 404)
        self.assertEqual(request("HEAD", location)["Upload-Offset"], "0")
        self.cancel(location)

    # curl alone

    @unittest.skipUnless(shutil.which("curl"), "curl is not installed")
    def test_curl_uploads_in_parts_and_resumes(self):
        data = os.urandom(2_000_000)
        with tempfile.TemporaryDirectory() as folder:
            first, rest, fields = (os.path.join(folder, name) for name in ("first", "rest", "fields"))
            with open(first, "wb") as file:
                file.write(data[:1_000_000])
            address = ADDRESS.geturl()

            def curl(*arguments):
                common = ["curl", "-sS", "-H", f"Authorization: Bearer {TOKEN}"]
                return subprocess.run(common + list(arguments), check=True, capture_output=True, text=True).stdout

            curl("-H", "Upload-Complete: ?0", "-H", f"Upload-Length: {len(data)}", "-H", f"Repr-Digest: {digest(data)}",
                 "--data-binary", f"@{first}", "-D", fields, f"{address}/v1/uploads")
            with open(fields, encoding="ascii") as file:
                location = next(line.split()[1] for line in file if line.lower().startswith("location:"))
            state = curl("-I", f"{address}{location}")
            lines = state.lower().splitlines()
            offset = next(int(line.split()[1]) for line in lines if line.startswith("upload-offset:"))
            self.assertEqual(offset, 1_000_000)
            with open(rest, "wb") as file:
                file.write(data[offset:])
            answer = curl("-X", "PATCH", "-H", "Upload-Complete: ?1", "-H", f"Upload-Offset: {offset}",
                          "-H", "Content-Type: application/partial-upload", "--data-binary", f"@{rest}",
                          f"{address}{location}")
            name = hashlib.sha256(data).hexdigest()
            self.assertEqual(json.loads(answer)["sha256"], name)
            whole = os.path.join(folder, "whole")
            curl("-o", whole, "-r", "0-999", f"{address}/v1/blobs/{name}")
            curl("-o", whole, "-C", "1000", f"{address}/v1/blobs/{name}")
            with open(whole, "rb") as file:
                self.assertEqual(file.read(), data)


if __name__ == "__main__":
    unittest.main(verbosity=1)
