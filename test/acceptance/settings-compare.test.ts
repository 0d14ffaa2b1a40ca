import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { startServing } from './serving.ts';

const FILE = `svc: 1
stack: acme
config:
  advancedWebhooks: { isEnabled: true }
  webhook: { useWebhookService: true, webhookServiceConfig: { authToken: { env: TOKEN } } }
endpoints:
  - { uid: acme.billing, url: https://hooks.example.com/billing }
folders:
  - { organizationId: acme, folderId: plans, folderName: Plans, accessType: restricted }
  - { organizationId: acme, folderId: q3, folderName: Q3, parentFolderId: plans }
documents:
  - { organizationId: acme, documentId: d1, documentName: One }
  - { organizationId: acme, documentId: d2, documentName: Two, folderId: q3 }
`;

async function newAppliedUser() {
  const user = await newUserInProcess();
  const { env } = await startServing(user, '--store', join(user.home, 'left.sqlite'));
  const svc = (...words: readonly string[]) =>
    user.svc(words, { env: { ...user.env, ...env, TOKEN: 'a-token-of-deliveries-58' } });
  const add = ['profiles', 'add', 'left', '--base-url', env.SVC_BASE_URL];
  const added = await user.svc([...add, '--api-key', env.SVC_API_KEY, '--auth-token-stdin'], {
    stdin: env.SVC_AUTH_TOKEN,
  });
  expect(added, added.stderr).toMatchObject({ code: 0 });
  await writeFile(join(user.home, 'svc.yaml'), FILE);
  const applied = await svc('apply', '--yes');
  expect(applied, applied.stderr).toMatchObject({ code: 0 });
  return { ...user, svc };
}

it('svc compare reports no differences between a file and a service whose plan is empty', async () => {
  const { svc, home } = await newAppliedUser();
  const create = [
    'webhooks',
    'endpoints',
    'create',
    '--uid',
    'a.b.c',
    '--url',
    'https://x.example',
  ];
  const { id } = JSON.parse((await svc(...create, '-o', 'json')).stdout);
  const file = FILE.replace('folders:', `  - { id: ${id}, url: https://x.example }\nfolders:`);
  await writeFile(join(home, 'svc.yaml'), file);
  expect(await svc('plan', '--exit-code')).toMatchObject({ code: 0 });
  for (const names of [
    ['svc.yaml', 'left'],
    ['left', 'svc.yaml'],
    ['left', './svc.yaml', '--only', 'documents'],
  ]) {
    const compared = await svc('compare', ...names, '--exit-code');
    expect([compared.code, compared.stdout]).toEqual([0, expect.stringContaining('do not differ')]);
  }
  await writeFile(
    join(home, 'svc.yaml'),
    file.replace('Two', 'Zwei').replace('folderId: q3,', 'folderId: q4,'),
  );
  const changed = await svc('compare', 'left', 'svc.yaml', '-o', 'json');
  expect(
    JSON.parse(changed.stdout).changes.map(
      ({ sign, kind, id: record, field }: Readonly<Record<string, unknown>>) =>
        [sign, kind, record, field].join(' '),
    ),
  ).toEqual(['+ folders q4 ', '~ documents d2 documentName']);
  const users = await svc('compare', 'left', 'svc.yaml', '--only', 'users');
  expect([users.code, users.stderr]).toEqual([
    2,
    expect.stringContaining('--only users: users cannot be read back'),
  ]);
  const selected = await svc('compare', 'svc.yaml', 'left', '--org', 'acme');
  expect([selected.code, selected.stdout]).toEqual([2, '']);
  expect(selected.stderr).toContain('--org selects records of two services, not of a file');
});

it('svc apply does not warn about a configuration that it did not read', SLOW, async () => {
  const { svc, home } = await newAppliedUser();
  const endpoints = 'stack: acme\nendpoints: [{ uid: acme.audit, url: https://x.example/audit }]\n';
  await writeFile(join(home, 'only.yaml'), endpoints);
  const applied = await svc('apply', '-f', 'only.yaml', '--yes');
  expect([applied.code, applied.stderr]).toEqual([0, '']);
  await writeFile(join(home, 'only.yaml'), endpoints.replace('/audit }', '/other }'));
  expect((await svc('apply', '-f', 'only.yaml', '--yes')).stderr).toBe('');
});
