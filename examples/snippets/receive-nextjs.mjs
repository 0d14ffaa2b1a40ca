// A route handler: app/hook/route.js
export async function POST(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > 10 * 1024 * 1024) return new Response(null, { status: 413 });
  }
  const body = Buffer.concat(chunks);
  if (!verifyDelivery(body, request.headers, process.env.WEBHOOK_SECRET))
    return new Response(null, { status: 401 });
  const { encodedPayload, ...payload } = JSON.parse(body);
  const delivery = encodedPayload ? JSON.parse(Buffer.from(encodedPayload, 'base64')) : payload;
  // Handle delivery.event and delivery.data here. Ignore a webhook-id that was already handled: deliveries may repeat.
  return new Response(null, { status: 204 });
}
