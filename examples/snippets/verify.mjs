import { createHmac, timingSafeEqual } from 'node:crypto';

// Returns whether a delivery is authentic. body: raw bytes, before any parser; headers: those of Node.js or of fetch
export function verifyDelivery(body, headers, secret) {
  const read = (name) => (typeof headers.get === 'function' ? headers.get(name) : headers[name]) ?? '';
  const [id, time, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(read);
  if (!/^[^.]+$/.test(id) || !/^\d{1,12}$/.test(time)) return false;
  if (Math.abs(Date.now() / 1000 - time) > 300) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  if (key.length === 0) return false;
  const hmac = createHmac('sha256', key).update(id + '.' + time + '.').update(body);
  const expected = Buffer.from('v1,' + hmac.digest('base64'));
  return given.split(' ').map((one) => Buffer.from(one)).some(
    (one) => one.length === expected.length && timingSafeEqual(one, expected));
}
