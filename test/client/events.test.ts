import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { defineOperation } from '../../src/catalog/define.ts';
import type { PlannedRequest } from '../../src/client/client.ts';
import { maskSecret } from '../../src/kernel/redact.ts';
import { version } from '../../src/kernel/version.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import {
  API_KEY,
  AUTH_TOKEN,
  errorOf,
  failure,
  json,
  networkError,
  newClient,
  OPERATIONS,
  scriptedFetch,
  success,
  target,
  thing,
  WORKSPACE_ID,
  WORKSPACE_TOKEN,
} from './client-fixture.ts';

const CREDENTIALS = [API_KEY, AUTH_TOKEN, WORKSPACE_ID, WORKSPACE_TOKEN];
const FORMS = CREDENTIALS.flatMap((value) => [
  value,
  Buffer.from(value).toString('base64'),
  Buffer.from(value).toString('base64url'),
  encodeURIComponent(value),
]);

const reset = defineOperation('things.call', {
  ...thing,
  effect: 'once',
  auth: 'workspace',
  input: z.object({ apiKey: z.string() }),
  sample: ({ apiKey }) => ({ apiKey }),
  revealsSecrets: true,
});

const configure = defineOperation('things.call', {
  ...thing,
  effect: 'set',
  input: z.looseObject({}),
});

/** Calls with `--dry-run` and returns the planned request. */
async function planned(operation: typeof reset | typeof configure, input: Record<string, unknown>) {
  const shown: PlannedRequest[] = [];
  const { fetch, requests } = scriptedFetch(success());
  const { client, events } = newClient({
    fetch,
    dryRun: async (request) => void shown.push(request),
  });
  const reply = await client.call(operation as typeof configure, input);
  return { shown: shown[0], reply, sent: requests.length, events };
}

describe('a dry run', () => {
  it.each(Object.entries(OPERATIONS))(
    'sends nothing for an operation with the effect %s',
    async (_, operation) => {
      const { reply, sent, events } = await planned(operation as typeof configure, {});
      expect(reply).toEqual({ sent: false });
      expect([sent, events]).toEqual([0, []]);
    },
  );

  it('shows the request with masked credentials, and with its ID', async () => {
    const { shown } = await planned(reset, { apiKey: API_KEY });
    expect(shown).toEqual({
      method: 'POST',
      url: 'https://api.example.test/v2/things',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': `svc/${version}`,
        'x-svc-workspace-id': maskSecret(WORKSPACE_ID),
        'x-svc-workspace-auth-token': maskSecret(WORKSPACE_TOKEN),
      },
      body: { data: { apiKey: API_KEY } },
    });
  });

  it('masks secrets in the data, by field and by value', async () => {
    const { shown } = await planned(configure, {
      webhookServiceConfig: { authToken: 'short' },
      emailServiceConfig: { type: 'custom', apiKey: 'mail-key-1' },
      note: `it is ${AUTH_TOKEN}, or ${Buffer.from(WORKSPACE_TOKEN).toString('base64')}`,
    });
    expect(shown?.body).toEqual({
      data: {
        webhookServiceConfig: { authToken: '****' },
        emailServiceConfig: { type: 'custom', apiKey: '****' },
        note: `it is ${maskSecret(AUTH_TOKEN)}, or ${maskSecret(WORKSPACE_TOKEN)}`,
      },
    });
  });

  it('still requires the credential', async () => {
    const { fetch } = scriptedFetch(success());
    const { client } = newClient({
      fetch,
      target: { baseUrl: target().baseUrl, headerPrefix: 'x-svc-' },
      dryRun: async () => undefined,
    });
    expect((await errorOf(client.call(OPERATIONS.read, {}))).failure).toBe('no_credential');
  });
});

describe('the events of a call', () => {
  const echo = `${FORMS.join(' ')} ${JSON.stringify(FORMS)}`;

  it('never contain a credential, even if the service echoes all of them', async () => {
    const { fetch } = scriptedFetch(
      failure('UNAVAILABLE', 503, echo),
      json({ odd: echo }),
      success(),
    );
    const { client, events } = newClient({ fetch });
    const error = await errorOf(client.call(configure, { note: echo, [AUTH_TOKEN]: 1 }));
    expect(events.map(({ kind }) => kind)).toEqual([
      'request',
      'response',
      'retry',
      'request',
      'response',
    ]);
    const replies = events.map((event) => ('body' in event ? event.body : ''));
    expect(replies.join()).toContain('****');
    for (const form of FORMS)
      expect(JSON.stringify(events.filter(({ kind }) => kind !== 'retry'))).not.toContain(form);
    for (const secret of [AUTH_TOKEN, WORKSPACE_TOKEN]) {
      expect(JSON.stringify(events)).not.toContain(secret);
      expect(inspect(error, { depth: 9 })).not.toContain(secret);
    }
  });

  it('never contain a credential, whatever its characters and encoding', SLOW, async () => {
    const anyToken = fc.string({
      unit: fc.constantFrom(...'ab01+/=&"\\%\'<> é'),
      minLength: 8,
      maxLength: 24,
    });
    const tokens = fc.tuple(anyToken, anyToken).map(([a, b]) => [`t${a}.`, `w${b}.`] as const);
    await fc.assert(
      fc.asyncProperty(tokens, async ([authToken, workspaceAuthToken]) => {
        const forms = [authToken, workspaceAuthToken].flatMap((token) => [
          token,
          JSON.stringify(token).slice(1, -1),
          encodeURIComponent(token),
          Buffer.from(token).toString('base64').replace(/=+$/, ''),
          Buffer.from(token).toString('hex'),
        ]);
        const said = forms.join(' ');
        const { fetch } = scriptedFetch(
          failure('UNAVAILABLE', 503, said),
          failure(`NO ${said}`, 400, said),
        );
        const own = {
          key: { apiKey: API_KEY, authToken },
          workspace: { workspaceId: 'w', workspaceAuthToken },
        };
        const { client, events } = newClient({ fetch, target: { ...target(), ...own } });
        const error = await errorOf(client.call(configure, { note: said, [authToken]: said }));
        const plans: PlannedRequest[] = [];
        const plan = async (request: PlannedRequest) => void plans.push(request);
        await newClient({ fetch, target: { ...target(), ...own }, dryRun: plan }).client.call(
          configure,
          { [said]: said },
        );
        const talk = [inspect(error, { depth: 9 }), JSON.stringify(events), JSON.stringify(plans)];
        const hasTalked = events.length > 2 && plans.length === 1;
        expect(hasTalked).toBe(true);
        for (const text of talk) for (const form of forms) expect(text).not.toContain(form);
      }),
      { numRuns: repeats(20) },
    );
  });

  it('redact secrets from a response, in that event and later ones', async () => {
    const fresh = 'fresh-token-71aa05';
    const bringing = json({
      result: { status: 'success', data: { id: 'a', newAuthToken: { token: fresh } } },
    });
    const { fetch } = scriptedFetch(
      bringing,
      json({ result: { status: 'success', data: { id: fresh } } }),
    );
    const { client, events } = newClient({ fetch });
    await client.call(OPERATIONS.read, {});
    expect(JSON.stringify(events[1])).toContain('\\"token\\":\\"****\\"');
    await client.call(OPERATIONS.read, {});
    expect(JSON.stringify(events)).not.toContain(fresh);
  });

  it('leave the secret in the result for the caller', async () => {
    const data = { id: 'a', newAuthToken: { token: 'fresh-token-71aa05' } };
    const { fetch } = scriptedFetch(success(data));
    expect(await newClient({ fetch }).client.call(OPERATIONS.read, {})).toMatchObject({ data });
  });

  it('do not keep the request in a network error', async () => {
    const { fetch } = scriptedFetch(networkError('ECONNRESET'));
    const error = await errorOf(newClient({ fetch }).client.call(OPERATIONS.keyed, {}));
    for (const form of FORMS)
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(form);
  });

  it('contain the response time, and describe a body that cannot be shown', async () => {
    const { fetch } = scriptedFetch(new Response(Buffer.from([0xff])));
    const { client, events } = newClient({ fetch });
    await errorOf(client.call(OPERATIONS.read, {}));
    expect(events[1]).toMatchObject({
      kind: 'response',
      attempt: 1,
      httpStatus: 200,
      milliseconds: 0,
    });
    expect(events[1]).toHaveProperty('body', '(text that is not UTF-8)');
  });
});
