
from flask import Flask, request

app = Flask(__name__)

@app.post("/hook")
def hook():
    if request.content_length is None or request.content_length > 10 * 1024 * 1024:
        return "", 413
    body = request.get_data()
    if not verify_delivery(body, request.headers, os.environ["WEBHOOK_SECRET"]):
        return "", 401
    delivery = json.loads(body)
    if "encodedPayload" in delivery:
        delivery = json.loads(base64.b64decode(delivery["encodedPayload"]))
    # Handle the delivery here. Ignore a webhook-id that was already handled: deliveries may repeat.
    return "", 204

if __name__ == "__main__":
    app.run(port=int(os.environ.get("PORT", 3000)))
