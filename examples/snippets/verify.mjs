import { createHmac, timingSafeEqual } from 'node:crypto';

// Returns whether a delivery is authentic. body: raw bytes, before any parser; headers: request.headers
export function verifyDelivery(body, headers, secret) {
  const { 'webhook-id': id = '', 'webhook-timestamp': time, 'webhook-signature': given = '' } = headers;
  if (!/^[^.]+$/.test(id) || !/^\d{1,12}$/.test(time)) return false;
  if (Math.abs(Date.now() / 1000 - time) > 300) return false;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  if (key.length === 0) return false;
  const hmac = createHmac('sha256', key).update(id + '.' + time + '.').update(body);
  const expected = Buffer.from('v1,' + hmac.digest('base64'));
  return given.split(' ').map((one) => Buffer.from(one)).some(
    (one) => one.length === expected.length && timingSafeEqual(one, expected));
}

// In Express, as app.post('/hook', express.raw({ type: '*/*' }), receive):
export function receive(request, response) {
  if (!verifyDelivery(request.body, request.headers, process.env.WEBHOOK_SECRET)) return response.sendStatus(401);
  const { event, data } = JSON.parse(request.body);
  // Ignore a webhook-id that was already handled, because deliveries may repeat.
  response.sendStatus(204);
}
