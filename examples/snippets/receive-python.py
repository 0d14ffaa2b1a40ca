
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("content-length") or 0)
        if length > 10 * 1024 * 1024:
            return self.respond(413)
        self.connection.settimeout(30)
        body = self.rfile.read(length)
        if len(body) < length:
            return self.respond(400)
        if not verify_delivery(body, self.headers, os.environ["WEBHOOK_SECRET"]):
            return self.respond(401)
        delivery = json.loads(body)
        if "encodedPayload" in delivery:
            delivery = json.loads(base64.b64decode(delivery["encodedPayload"]))
        # Handle the delivery here. Ignore a webhook-id that was already handled: deliveries may repeat.
        self.respond(204)

    def do_GET(self):
        self.respond(405)

    def respond(self, status):
        self.send_response(status)
        self.end_headers()

if __name__ == "__main__":
    ThreadingHTTPServer(("", int(os.environ.get("PORT", 3000))), Receiver).serve_forever()
