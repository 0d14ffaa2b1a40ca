import { expect, test } from 'vitest';
import { manifest } from '../../src/catalog/manifest.ts';
import { planProbe, runProbe } from '../../src/contract/probe.ts';
import { SLOW } from '../slow.ts';
import { startRecordedWorld } from './recorded-world.ts';

const ALL = { organizationId: 'acme', hasWorkspace: true };

test('a probe sends at most 60 requests, all of them reads that hand out no credential', () => {
  const steps = planProbe(ALL);
  expect(steps.reduce((sum, { requests }) => sum + requests, 0)).toBeLessThanOrEqual(60);
  const operations = new Set(steps.map(({ operation }) => operation));
  const reads = manifest.filter(({ effect }) => effect === 'read').map(({ name }) => name);
  expect(reads.filter((name) => !operations.has(name)).toSorted()).toEqual([
    'access-tokens.generate',
    'auth-tokens.list',
    'webhooks.endpoints.secret',
  ]);
  expect([...operations].filter((name) => !reads.includes(name))).toEqual([]);
});

test('a probe without an organization or a workspace skips the operations that need them', () => {
  const names = planProbe({ hasWorkspace: false }).map(({ operation }) => operation);
  expect(names).toContain('webhooks.endpoints.list');
  expect(names).not.toContain('folders.list');
  expect(names).not.toContain('workspace.get');
});

test('no operation sends more requests than the list says', SLOW, async () => {
  const { service, client, recorder } = await startRecordedWorld();
  await service.call('/v2/organizations/folders/add', {
    organizationId: 'acme',
    createOrganization: true,
    folders: [{ folderId: 'f1' }],
  });
  await service.call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  for (const url of ['https://example.com/a', 'https://example.com/b'])
    await service.call('/v2/workspace/advancedwebhook/endpoints/create', { url });
  await runProbe(client, recorder, ALL);
  const { operations } = await recorder.contract();
  for (const { operation, requests } of planProbe(ALL)) {
    const sent = (operations.get(operation) ?? []).reduce((sum, { seen }) => sum + seen, 0);
    expect(sent, operation).toBeGreaterThan(0);
    expect(sent, operation).toBeLessThanOrEqual(requests);
  }
  expect(operations.size).toBe(planProbe(ALL).length);
});
