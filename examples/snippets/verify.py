import base64, hmac, json, os, re, time

# Returns whether a delivery is authentic. body: raw bytes; headers: a case-insensitive mapping
def verify_delivery(body, headers, secret):
    id, sent = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not re.fullmatch(r"[^.]+", id) or not re.fullmatch(r"[0-9]{1,12}", sent):
        return False
    if abs(time.time() - int(sent)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    if not key:
        return False
    signed = hmac.digest(key, f"{id}.{sent}.".encode() + body, "sha256")
    expected = b"v1," + base64.b64encode(signed)
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected) for one in given)
