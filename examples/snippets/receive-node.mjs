import { createServer } from 'node:http';

createServer(async (request, response) => {
  const respond = (status) => response.writeHead(status).end();
  if (request.method !== 'POST') return respond(405);
  const chunks = [];
  let length = 0;
  try {
    for await (const chunk of request) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > 10 * 1024 * 1024) return respond(413);
    }
  } catch {
    return response.destroy(); // the connection broke
  }
  const body = Buffer.concat(chunks);
  if (!verifyDelivery(body, request.headers, process.env.WEBHOOK_SECRET)) return respond(401);
  const { encodedPayload, ...payload } = JSON.parse(body);
  const delivery = encodedPayload ? JSON.parse(Buffer.from(encodedPayload, 'base64')) : payload;
  // Handle delivery.event and delivery.data here. Ignore a webhook-id that was already handled: deliveries may repeat.
  respond(204);
}).listen(process.env.PORT ?? 3000);
