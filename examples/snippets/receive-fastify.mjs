import Fastify from 'fastify';

const app = Fastify({ bodyLimit: 10 * 1024 * 1024 });
// The raw body of any type, instead of parsed JSON.
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => done(null, body));
app.post('/hook', async ({ body, headers }, reply) => {
  if (!verifyDelivery(body, headers, process.env.WEBHOOK_SECRET)) return reply.code(401).send();
  const { encodedPayload, ...payload } = JSON.parse(body);
  const delivery = encodedPayload ? JSON.parse(Buffer.from(encodedPayload, 'base64')) : payload;
  // Handle delivery.event and delivery.data here. Ignore a webhook-id that was already handled: deliveries may repeat.
  return reply.code(204).send();
});
await app.listen({ port: Number(process.env.PORT ?? 3000) });
