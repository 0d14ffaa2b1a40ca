import express from 'express';

const app = express();
// The raw body of any type. The default limit of 100 kB would reject real deliveries.
app.post('/hook', express.raw({ type: () => true, limit: '10mb' }), (request, response) => {
  const { body, headers } = request;
  if (!verifyDelivery(body, headers, process.env.WEBHOOK_SECRET)) return response.sendStatus(401);
  const { encodedPayload, ...payload } = JSON.parse(body);
  const delivery = encodedPayload ? JSON.parse(Buffer.from(encodedPayload, 'base64')) : payload;
  // Handle delivery.event and delivery.data here. Ignore a webhook-id that was already handled: deliveries may repeat.
  response.sendStatus(204);
});
app.listen(process.env.PORT ?? 3000);
