import { describe, expect, it } from 'vitest';
import { errorOf, newClient, OPERATIONS, scriptedFetch } from './client-fixture.ts';

/** The message of a read that gets this response. */
async function messageOf(
  status: number,
  body: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const { fetch } = scriptedFetch(new Response(body, { status, headers }));
  const { client } = newClient({ fetch, retryTimes: { call: 0, job: 0 } });
  return (await errorOf(client.call(OPERATIONS.read, {}))).message;
}

const HOST = 'api.example.test';

describe('a response that is not from the service', () => {
  it('is described by the title, detail, and request ID of problem details', async () => {
    // The example of RFC 9457, section 3.
    const problem = {
      type: 'https://example.com/probs/out-of-credit',
      title: 'You do not have enough credit.',
      detail: 'Your current balance is 30, but that costs 50.',
      instance: '/account/12345/msgs/abc',
    };
    expect(
      await messageOf(500, JSON.stringify(problem), {
        'content-type': 'application/problem+json',
      }),
    ).toBe(
      `${HOST} returned JSON without an error (HTTP 500): You do not have enough credit.: Your current balance is 30, but that costs 50. [request ID /account/12345/msgs/abc]`,
    );
    expect(
      await messageOf(503, '{"title":"Upstream is draining","requestId":"r-1"}', {
        'content-type': 'application/problem+json',
      }),
    ).toBe(
      `the proxy at ${HOST} did not reach the service (HTTP 503): Upstream is draining [request ID r-1]`,
    );
  });

  it('is described by the title of a page, and the request ID in a header', async () => {
    const page =
      '<!doctype html><html><head><title>\n Access denied &#8211; web &amp; app firewall</title></head></html>';
    expect(await messageOf(403, page, { 'x-request-id': 'q7' })).toBe(
      `${HOST} returned HTML instead of JSON (HTTP 403): "Access denied – web & app firewall" [request ID q7]`,
    );
  });

  it('is described by the message of JSON without an error', async () => {
    expect(await messageOf(400, '{"message":"Missing Authentication Token"}')).toBe(
      `${HOST} returned JSON without an error (HTTP 400): Missing Authentication Token`,
    );
  });

  it('is described by the title of a login page with the status of a success', async () => {
    expect(await messageOf(200, '<html><title>Sign in to Corp</title></html>')).toBe(
      `${HOST} returned HTML instead of JSON (HTTP 200): "Sign in to Corp"`,
    );
    expect(await messageOf(200, '{"title":"a private name"}')).not.toContain('private');
  });

  it('is not described by a title that repeats the status', async () => {
    const page = '<html><head><title>502 Bad Gateway</title></head></html>';
    expect(await messageOf(502, page)).toBe(
      `the proxy at ${HOST} did not reach the service (HTTP 502)`,
    );
  });

  it('is described in one line of limited length', async () => {
    const message = await messageOf(403, `<title>${'long\u202e \n'.repeat(1_000)}</title>`);
    expect(message).not.toContain('\n');
    expect(message.length).toBeLessThan(500);
  });
});
