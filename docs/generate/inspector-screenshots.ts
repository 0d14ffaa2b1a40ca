import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

/**
 * Takes the screenshots of the inspector in docs/images, in light and dark. Needs a build and
 * Debian's Chromium. Times differ from run to run, so the check of generated pages does not include
 * these files.
 */
const home = mkdtempSync(join(tmpdir(), 'svc-screenshots-'));
const env = { PATH: process.env['PATH'] ?? '', HOME: home };
const service = spawn(
  process.execPath,
  ['bin/svc.js', 'serve', '--ui', '--port', '0', '-o', 'json'],
  { env },
);
const [ready] = await once(createInterface(service.stdout), 'line');
const { url, apiKey, authToken, ui } = JSON.parse(ready);

async function call(path: string, data: object): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    'x-svc-api-key': apiKey,
    'x-svc-auth-token': authToken,
  };
  await fetch(url + path, { method: 'POST', headers, body: JSON.stringify({ data }) });
}

async function callService(): Promise<void> {
  const organizationId = 'acme';
  const user = (userId: string, name: string) => ({ userId, name, email: `${userId}@example.com` });
  await call('/v1/users/add', {
    organizationId,
    users: [user('ada', 'Ada Lovelace'), user('grace', 'Grace Hopper')],
  });
  await call('/v2/organizations/folders/add', {
    organizationId,
    folders: [
      { folderId: 'plans', folderName: 'Plans' },
      {
        folderId: 'q3',
        folderName: 'Third quarter',
        parentFolderId: 'plans',
        accessType: 'restricted',
      },
      { folderId: 'legal', folderName: 'Legal' },
    ],
  });
  const documents = [
    { documentId: 'd1', documentName: 'Roadmap' },
    { documentId: 'd2', documentName: 'Budget' },
  ];
  await call('/v1/organizations/documents/add', { organizationId, folderId: 'q3', documents });
  await call('/v1/organizations/documents/add', {
    organizationId,
    folderId: 'legal',
    documents: [{ documentId: 'd3' }],
  });
  await call('/v1/users/add', {
    organizationId,
    folderId: 'q3',
    users: [user('hank', 'Hank Hill')],
  });
  await call('/v2/organizations/documents/get', { organizationId, documentIds: ['d1', 'd2'] });
  await call('/v1/users/add', { organizationId });
  await call('/v2/organizations/usergroups/add', {
    organizationId,
    organizationUserGroups: [{ groupId: 'sales', groupName: 'Sales' }],
  });
  await call('/v2/crdt/add', {
    organizationId,
    documentId: 'd1',
    editorId: 'e1',
    type: 'text',
    data: 'Draft',
  });
  await call('/v2/presence/update', {
    organizationId,
    documentId: 'd1',
    users: [{ userId: 'ada', status: 'online' }],
  });
}

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  await callService();
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({
      viewport: { width: 1200, height: 640 },
      colorScheme,
      deviceScaleFactor: 1.5,
    });
    const take = (name: string) =>
      page.screenshot({ path: `docs/images/inspector-${name}-${colorScheme}.png` });
    await page.goto(ui);
    await page.getByRole('link', { name: 'folders.add' }).click();
    await page.getByText('Response body').waitFor();
    await take('requests');
    await page.goto(`${url}/_svc/ui#/organizations/acme/documents/d1`);
    await page.getByLabel('User ID').fill('ada');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('ada cannot open this').waitFor();
    await take('access');
  }
} finally {
  await browser.close();
  service.kill('SIGTERM');
  await once(service, 'exit');
  rmSync(home, { recursive: true });
}
