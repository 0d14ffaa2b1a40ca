import { SIGNATURE_HEADERS } from '../../webhooks/form.ts';
import { TIMESTAMP_TOLERANCE } from '../../webhooks/signature.ts';

const { id, timestamp, signature } = SIGNATURE_HEADERS;

/** A function that verifies deliveries in Node.js, without a library. */
export const NODE_VERIFICATION = `import { createHmac, timingSafeEqual } from 'node:crypto';

// body: raw bytes, before any parser; headers: request.headers
export function verified(body, headers, secret) {
  const { '${id}': id, '${timestamp}': time, '${signature}': given = '' } = headers;
  if (!/^[^.]+$/.test(id) || !/^\\d{1,12}$/.test(time)) return false;
  if (Math.abs(Date.now() / 1000 - time) > ${TIMESTAMP_TOLERANCE}) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const hmac = createHmac('sha256', key).update(\`\${id}.\${time}.\`).update(body);
  const expected = Buffer.from(\`v1,\${hmac.digest('base64')}\`);
  return given.split(' ').map((one) => Buffer.from(one)).some(
    (one) => one.length === expected.length && timingSafeEqual(one, expected));
}`;

/** A function that verifies deliveries in Python 3, without a library. */
export const PYTHON_VERIFICATION = `import base64, hmac, re, time

# body: raw bytes; headers: a case-insensitive mapping
def verified(body, headers, secret):
    id, sent = headers.get("${id}", ""), headers.get("${timestamp}", "")
    if not re.fullmatch(r"[^.]+", id) or not re.fullmatch(r"[0-9]{1,12}", sent):
        return False
    if abs(time.time() - int(sent)) > ${TIMESTAMP_TOLERANCE}:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = hmac.digest(key, f"{id}.{sent}.".encode() + body, "sha256")
    expected = b"v1," + base64.b64encode(signed)
    given = headers.get("${signature}", "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected) for one in given)`;
