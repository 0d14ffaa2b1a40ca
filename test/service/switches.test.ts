import { describe, expect, it } from 'vitest';
import { loadOperation } from '../../src/catalog/index.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import { addSecondKey, startTestService } from './test-service.ts';

const LIST = '/v2/organizations/documents/get';
const ADD = '/v1/organizations/documents/add';
const ACME = { organizationId: 'acme' };

describe('a service without a feature', () => {
  it.each([
    [
      'advanced-webhooks',
      'Advanced webhooks are not available for this workspace.',
      ['/v2/workspace/advancedwebhookconfig/get', '/v2/workspace/advancedwebhook/endpoints/create'],
    ],
    [
      'advanced-queries',
      'Advanced queries are not enabled for this workspace.',
      [
        LIST,
        '/v2/organizations/folders/get',
        '/v1/organizations/folders/get',
        '/v2/organizations/folders/update',
      ],
    ],
  ] as const)('%s rejects only calls that need it', async (feature, message, some) => {
    const { call } = await startTestService({ without: [feature] });
    const refusal = { http: 400, body: { error: { status: 'FAILED_PRECONDITION', message } } };
    const refused: string[] = [];
    for (const { resource, name, path } of manifest) {
      const { feature: needed } = await loadOperation(resource, name);
      const response = await call(path, {});
      if (needed === feature) expect(response).toEqual(refusal);
      else expect(response.body.error?.message).not.toBe(message);
      if (needed === feature) refused.push(path);
    }
    expect(refused).toEqual(expect.arrayContaining([...some]));
  });

  it('does not reveal it to callers without credentials', async () => {
    const { call } = await startTestService({ without: ['advanced-queries'] });
    const headers = { 'x-svc-api-key': 'no', 'x-svc-auth-token': 'no' };
    expect((await call(LIST, ACME, headers)).body.error?.status).toBe('PERMISSION_DENIED');
  });
});

describe('a rate limit', () => {
  const LIMITED = {
    http: 429,
    body: {
      error: {
        status: 'RESOURCE_EXHAUSTED',
        message: 'Rate limit exceeded. Try again after 1 minute.',
      },
    },
  };

  it('rejects calls beyond the limit until the window ends', async () => {
    const { call, clock } = await startTestService({ rateLimit: { calls: 3, window: 60_000 } });
    for (let n = 0; n < 3; n++) {
      expect((await call(LIST, ACME)).http).toBe(200);
      clock.time += 10_000;
    }
    expect(await call(LIST, ACME)).toEqual(LIMITED);
    clock.time += 29_999;
    expect(await call(LIST, ACME)).toEqual(LIMITED);
    clock.time += 1;
    expect((await call(LIST, ACME)).http).toBe(200);
  });

  it('starts over if the clock is set back', async () => {
    const { call, clock } = await startTestService({ rateLimit: { calls: 1, window: 60_000 } });
    expect((await call(LIST, ACME)).http).toBe(200);
    expect(await call(LIST, ACME)).toEqual(LIMITED);
    clock.time -= 3_600_000;
    expect((await call(LIST, ACME)).http).toBe(200);
    expect(await call(LIST, ACME)).toEqual(LIMITED);
  });

  it('applies to each credential separately', async () => {
    const service = await startTestService({ rateLimit: { calls: 1, window: 1_000 } });
    const { call } = service;
    const second = await addSecondKey(service);
    expect((await call(LIST, ACME)).http).toBe(200);
    expect(await call(LIST, ACME)).toEqual(LIMITED);
    expect((await call(LIST, ACME, second)).http).toBe(200);
    expect((await call('/v2/workspace/get', {})).http).toBe(200);
    expect(await call('/v2/workspace/get', {})).toEqual(LIMITED);
    expect((await call('/v2/workspace/create', { ownerEmail: 'a@b.c' })).http).toBe(200);
    expect(await call('/v2/workspace/create', { ownerEmail: 'd@e.f' })).toEqual(LIMITED);
  });

  it('does not count calls with a wrong token, but counts rejected input', async () => {
    const { call, keyHeaders } = await startTestService({ rateLimit: { calls: 1, window: 1_000 } });
    const wrong = { ...keyHeaders(), 'x-svc-auth-token': 'no' };
    for (let n = 0; n < 3; n++) expect((await call(LIST, ACME, wrong)).http).toBe(401);
    expect((await call(LIST, {})).http).toBe(400);
    expect(await call(LIST, ACME)).toEqual(LIMITED);
  });

  it('rolls back the call that it rejects', async () => {
    const { call, clock } = await startTestService({ rateLimit: { calls: 1, window: 1_000 } });
    await call(ADD, { ...ACME, documents: [{ documentId: 'd1' }] });
    expect(await call(ADD, { ...ACME, documents: [{ documentId: 'd2' }] })).toEqual(LIMITED);
    clock.time += 1_000;
    expect((await call(LIST, ACME)).body.result?.data).toEqual([
      expect.objectContaining({ id: 'd1' }),
    ]);
  });
});

describe('a strict service', () => {
  it('responds to duplicates with INTERNAL and the result of each document', async () => {
    const { call } = await startTestService({ strict: true });
    const documents = [{ documentId: 'd1' }, { documentId: '__proto__' }];
    expect((await call(ADD, { ...ACME, documents })).http).toBe(200);
    const again = await call(ADD, { ...ACME, documents: [...documents, { documentId: 'd2' }] });
    const failed = {
      success: false,
      id: expect.any(String),
      message: 'Document already exists',
      code: 'already-exists',
    };
    const added = {
      success: true,
      id: expect.stringMatching(/^\d{16}$/),
      message: 'Added Successfully',
    };
    expect([again.http, again.body.error?.status, again.body.error?.message]).toEqual([
      500,
      'INTERNAL',
      'Error adding document(s).',
    ]);
    expect(Object.entries(again.body.error?.details ?? {}).sort()).toEqual([
      ['__proto__', failed],
      ['d1', failed],
      ['d2', added],
    ]);
    const { body } = await call(LIST, { ...ACME, documentIds: ['d1', 'd2'] });
    expect(body.result?.data, 'what succeeded is written').toHaveLength(2);
  });

  it('responds to unknown IDs with INTERNAL and the documents in the order of the request', async () => {
    const { call } = await startTestService({ strict: true });
    await call(ADD, { ...ACME, documents: [{ documentId: 'd1' }] });
    expect((await call(LIST, { ...ACME, documentIds: ['d1'] })).http).toBe(200);
    expect((await call(LIST, ACME)).http).toBe(200);
    expect(await call(LIST, { ...ACME, documentIds: ['no', 'd1'] })).toEqual({
      http: 500,
      body: {
        error: {
          status: 'INTERNAL',
          message: 'Error retrieving document(s).',
          details: [
            { success: false, id: 'no', message: 'Document does not exist', code: 'not-found' },
            { id: 'd1', disabled: false, accessType: 'public' },
          ],
        },
      },
    });
  });

  it('does not report documents of another page as unknown', async () => {
    const { call } = await startTestService({ strict: true });
    const documentIds = ['d1', 'd2'];
    await call(ADD, { ...ACME, documents: documentIds.map((documentId) => ({ documentId })) });
    const { body } = await call(LIST, { ...ACME, documentIds, pageSize: 1 });
    expect(body.result?.data).toHaveLength(1);
    const pageToken = body.result?.['pageToken'];
    expect((await call(LIST, { ...ACME, documentIds, pageSize: 1, pageToken })).http).toBe(200);
  });

  it('responds with success only without strict mode', async () => {
    const { call } = await startTestService();
    for (let n = 0; n < 2; n++)
      expect((await call(ADD, { ...ACME, documents: [{ documentId: 'd1' }] })).http).toBe(200);
    expect((await call(LIST, { ...ACME, documentIds: ['no'] })).body.result?.data).toEqual([]);
  });
});
