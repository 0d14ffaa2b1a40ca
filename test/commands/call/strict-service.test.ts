import { expect, it } from 'vitest';
import { manifest } from '../../../src/catalog/manifest.ts';
import { createClient } from '../../../src/client/client.ts';
import { fetchTransport } from '../../../src/client/fetch-transport.ts';
import { runOperation } from '../../../src/commands/run/operation.ts';
import { serviceWorld } from '../../service/world.ts';
import { fakeContext } from '../fake-context.ts';

it('documents of a strict service are listed with their fields, and those that do not exist are named', async () => {
  const { fetch, credentials, clock, call } = await serviceWorld({ strict: true });
  const documents = [{ documentId: 'd1', documentName: 'One' }, { documentId: 'd2' }];
  await call('/v1/organizations/documents/add', { organizationId: 'acme', documents });
  const target = { baseUrl: 'http://127.0.0.1', headerPrefix: 'x-svc-', key: credentials, withheld: '' };
  const transport = fetchTransport((input, init) => fetch(new Request(input, init)), 10_000);
  const client = createClient({ target, clock, transport, maxWait: 0 });
  const context = await fakeContext({ options: { output: 'json' } });
  const entry = manifest.find(({ name }) => name === 'documents.list') ?? expect.fail();
  // More than one request may name.
  const ids = ['d1', ...Array.from({ length: 40 }, (_, at) => `none-${at}`), 'd2'];
  const invocation = { arguments: [], options: { org: 'acme', document: ids } };
  await runOperation({ ...context, client: async () => client }, [entry], invocation);
  const [one, two, ...others] = JSON.parse(context.stdout());
  expect([one, two, others]).toMatchObject([{ id: 'd1', documentName: 'One' }, { id: 'd2', disabled: false }, []]);
  expect(context.stderr()).toBe(`warning: not found: ${ids.slice(1, -1).join(', ')}\n`);
});
