"""A target of forwarding that shares no code with svc: answers 204 to what is signed, 400 to anything else."""
import base64, hashlib, hmac, http.server, sys

KEY = base64.b64decode(sys.stdin.readline().strip().removeprefix("whsec_"))


class Target(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        head = f"{self.headers['webhook-id']}.{self.headers['webhook-timestamp']}.".encode()
        expected = "v1," + base64.b64encode(hmac.new(KEY, head + body, hashlib.sha256).digest()).decode()
        matches = hmac.compare_digest(expected, self.headers["webhook-signature"] or "")
        self.send_response(204 if matches else 400)
        self.end_headers()

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Target)
print(server.server_port, flush=True)
server.serve_forever()
