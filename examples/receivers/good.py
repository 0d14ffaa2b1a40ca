"""A webhook receiver that needs only Python's standard library (3.9 or later). `svc webhooks test` grades it.

    SECRET_FILE=secret.txt python3 good.py        advanced deliveries, signed according to Standard Webhooks
    AUTH_TOKEN_FILE=token.txt python3 good.py     basic deliveries

Other variables: PORT (default: 3000; 0 chooses a free port) and EFFECTS=1 (GET /effects lists the applied deliveries; for
tests only). The receiver rejects encrypted payloads, because the standard library supports neither RSA nor AES.
"""
import base64
import binascii
import hashlib
import hmac
import json
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAX_BYTES = 10 * 1024 * 1024
TOLERANCE = 5 * 60


class Refusal(Exception):
    """A response other than 200."""

    def __init__(self, status, reason):
        super().__init__(reason)
        self.status = status


def read_file(name):
    path = os.environ.get(name)
    if not path:
        return None
    with open(path, encoding="latin-1") as file:
        return file.read().strip()


SECRET = read_file("SECRET_FILE")
TOKEN = read_file("AUTH_TOKEN_FILE")
# A real receiver stores the IDs in the same transaction as the effects.
APPLIED = {}
LOCK = threading.Lock()


def verify(headers, body):
    """Verifies the raw bytes and compares in constant time."""
    if SECRET is None:
        if not hmac.compare_digest(headers.get("authorization", "").encode("latin-1"), f"Basic {TOKEN}".encode("latin-1")):
            raise Refusal(401, "wrong token")
        return
    delivery_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not delivery_id or "." in delivery_id or not (timestamp.isascii() and timestamp.isdigit()):
        raise Refusal(401, "not signed")
    key = base64.b64decode(SECRET[len("whsec_"):] if SECRET.startswith("whsec_") else SECRET)
    signed = f"{delivery_id}.{timestamp}.".encode("latin-1") + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # After a change of the secret, the header contains several signatures, separated by spaces.
    given = headers.get("webhook-signature", "").encode("latin-1").split(b" ")
    if not any([hmac.compare_digest(one, expected) for one in given]):
        raise Refusal(401, "wrong signature")
    # Otherwise an attacker could replay a recorded delivery at any time.
    if abs(time.time() - int(timestamp)) > TOLERANCE:
        raise Refusal(400, "timestamp out of range")


def unpack(body):
    try:
        payload = json.loads(body.decode("utf-8"))
        if isinstance(payload, dict) and isinstance(payload.get("encodedPayload"), str):
            payload = json.loads(base64.b64decode(payload["encodedPayload"], validate=True))
    except (ValueError, binascii.Error) as error:
        raise Refusal(400, "not JSON") from error
    if not isinstance(payload, dict):
        raise Refusal(400, "not an object")
    if "encryptedData" in payload:
        raise Refusal(422, "encrypted payloads are not supported")
    return payload


def apply_once(delivery_id, payload):
    """Accepts a repeated delivery without applying it again. Deliveries arrive at least once and in any order."""
    with LOCK:
        if delivery_id not in APPLIED:
            APPLIED[delivery_id] = payload.get("event")


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Maximum time without data from the sender, in seconds.
    timeout = 30

    def do_POST(self):
        try:
            body = self.read_body()
            verify(self.headers, body)
            payload = unpack(body)
            # A basic delivery contains the ID of its event in the payload.
            apply_once(self.headers.get("webhook-id") or payload.get("webhookId"), payload)
            # Respond with 2xx only now, because the sender does not repeat an accepted delivery.
            self.respond(200, "ok")
        except Refusal as refusal:
            # Don't wait for the rest of the body.
            self.close_connection = True
            self.respond(refusal.status, str(refusal))

    def read_body(self):
        length = self.headers.get("content-length", "")
        if not (length.isascii() and length.isdigit()):
            raise Refusal(411, "Content-Length required")
        if int(length) > MAX_BYTES:
            raise Refusal(413, "too long")
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            raise Refusal(400, "incomplete body")
        return body

    def do_GET(self):
        if os.environ.get("EFFECTS") == "1" and self.path == "/effects":
            with LOCK:
                self.respond(200, json.dumps([{"id": key, **({"event": event} if event else {})} for key, event in APPLIED.items()]))
        else:
            self.close_connection = True
            self.respond(405, "only POST")

    def respond(self, status, text):
        content = f"{text}\n".encode()
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Logs nothing, because deliveries may contain private data."""


if __name__ == "__main__":
    if not SECRET and not TOKEN:
        raise SystemExit("SECRET_FILE or AUTH_TOKEN_FILE is missing")
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver)
    print(f"listening on http://127.0.0.1:{server.server_port}/hook", flush=True)
    server.serve_forever()
