import { expect, it } from 'vitest';
import { manifest } from '../../../src/catalog/manifest.ts';
import { createClient } from '../../../src/client/client.ts';
import { createFetchTransport } from '../../../src/client/fetch-transport.ts';
import { runOperation } from '../../../src/commands/run/run-operation.ts';
import { startTestService } from '../../service/test-service.ts';
import { fakeContext } from '../fake-context.ts';

it('lists documents of a strict service with their fields, and names those that do not exist', async () => {
  const { fetch, credentials, clock, call } = await startTestService({ strict: true });
  const documents = [{ documentId: 'd1', documentName: 'One' }, { documentId: 'd2' }];
  await call('/v1/organizations/documents/add', { organizationId: 'acme', documents });
  const target = {
    baseUrl: 'http://127.0.0.1',
    headerPrefix: 'x-svc-',
    key: credentials,
    missingReason: '',
  };
  const transport = createFetchTransport((input, init) => fetch(new Request(input, init)), 10_000);
  const client = createClient({ target, clock, transport, maxWait: 0 });
  const context = await fakeContext({ options: { output: 'json' } });
  const entry = manifest.find(({ name }) => name === 'documents.list') ?? expect.fail();
  // More IDs than one request may contain.
  const ids = ['d1', ...Array.from({ length: 40 }, (_, at) => `none-${at}`), 'd2'];
  const invocation = { arguments: [], options: { org: 'acme', document: ids } };
  await runOperation({ ...context, client: async () => client }, [entry], invocation);
  const [one, two, ...others] = JSON.parse(context.stdout());
  expect([one, two, others]).toMatchObject([
    { id: 'd1', documentName: 'One' },
    { id: 'd2', disabled: false },
    [],
  ]);
  expect(context.stderr()).toBe(`warning: not found: ${ids.slice(1, -1).join(', ')}\n`);
});
