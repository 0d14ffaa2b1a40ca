import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';

const app = new Hono();
app.post('/hook', bodyLimit({ maxSize: 10 * 1024 * 1024 }), async (context) => {
  const body = Buffer.from(await context.req.arrayBuffer());
  const { headers } = context.req.raw;
  if (!verifyDelivery(body, headers, process.env.WEBHOOK_SECRET)) return context.body(null, 401);
  const { encodedPayload, ...payload } = JSON.parse(body);
  const delivery = encodedPayload ? JSON.parse(Buffer.from(encodedPayload, 'base64')) : payload;
  // Handle delivery.event and delivery.data here. Ignore a webhook-id that was already handled: deliveries may repeat.
  return context.body(null, 204);
});
export default app;
