import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium, type Page } from 'playwright-core';

export const CHROMIUM = '/usr/bin/chromium';
export const IMAGES = 'docs/images';
/** Lists the names and colors in each screenshot. */
export const SHOWN = `${IMAGES}/inspector.json`;

/** The names in a screenshot, without times and IDs, and its colors. */
export interface Shown {
  readonly names: readonly string[];
  readonly colors: { readonly text: readonly string[]; readonly background: readonly string[] };
}

interface Service {
  readonly url: string;
  readonly apiKey: string;
  readonly authToken: string;
  /** The address of the page, with its token. */
  readonly ui: string;
}

const SCHEMES = ['light', 'dark'] as const;

const VIEWS: Readonly<Record<string, (page: Page, service: Service) => Promise<void>>> = {
  access: async (page, { url }) => {
    await page.goto(`${url}/_svc/ui#/organizations/acme/documents/d1`);
    await page.getByLabel('User ID').fill('ada');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('ada cannot open this').waitFor();
  },
  requests: async (page) => {
    await page.getByRole('link', { name: 'folders add' }).click();
    await page.getByText('Response body').waitFor();
  },
};

/**
 * Opens the views of the inspector that the documents show, each in light and dark. Needs a build
 * and Debian's Chromium.
 */
export async function openViews(look: (name: string, page: Page) => Promise<void>): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'svc-screenshots-'));
  const env = { PATH: process.env['PATH'] ?? '', HOME: home };
  const words = ['bin/svc.js', 'serve', '--ui', '--port', '0', '-o', 'json'];
  const child = spawn(process.execPath, words, { env });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const [ready] = await once(createInterface(child.stdout), 'line');
    const service: Service = JSON.parse(ready);
    await callService(service);
    for (const [view, open] of Object.entries(VIEWS)) {
      for (const colorScheme of SCHEMES) {
        const page = await browser.newPage({
          viewport: { width: 1200, height: 640 },
          colorScheme,
          deviceScaleFactor: 1.5,
        });
        await page.goto(service.ui);
        await open(page, service);
        await look(`inspector-${view}-${colorScheme}`, page);
      }
    }
  } finally {
    await browser.close();
    child.kill('SIGTERM');
    await once(child, 'exit');
    rmSync(home, { recursive: true });
  }
}

const NAMES = 'h1, h2, h3, nav strong, nav a, .tabs a, dt, label, button, .name, .badge';
const COLORS = `(() => {
  const styles = [...document.querySelectorAll('body, body *')]
    .filter((element) => element.checkVisibility())
    .map((element) => getComputedStyle(element));
  const distinct = (colors) => [...new Set(colors)].filter((color) => !color.startsWith('rgba')).sort();
  return {
    text: distinct(styles.map(({ color }) => color)),
    background: distinct(styles.map(({ backgroundColor }) => backgroundColor)),
  };
})()`;

export async function readShown(page: Page): Promise<Shown> {
  const names = await page.locator(NAMES).allInnerTexts();
  return { names: names.filter((name) => name !== ''), colors: await page.evaluate(COLORS) };
}

async function callService({ url, apiKey, authToken }: Service): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    'x-svc-api-key': apiKey,
    'x-svc-auth-token': authToken,
  };
  const call = (path: string, data: object) =>
    fetch(url + path, { method: 'POST', headers, body: JSON.stringify({ data }) });
  const organizationId = 'acme';
  const user = (userId: string, name: string) => ({ userId, name, email: `${userId}@example.com` });
  await call('/v1/users/add', {
    organizationId,
    users: [user('ada', 'Ada Lovelace'), user('grace', 'Grace Hopper')],
  });
  await call('/v2/organizations/folders/add', {
    organizationId,
    folders: [
      { folderId: 'designs', folderName: 'Designs' },
      {
        folderId: 'q3',
        folderName: 'Third quarter',
        parentFolderId: 'designs',
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

/**
 * Takes the screenshots, and records what they show. Times differ from run to run, so the check of
 * generated pages does not include these files.
 */
async function takeScreenshots(): Promise<void> {
  const shown: Record<string, Shown> = {};
  await openViews(async (name, page) => {
    shown[name] = await readShown(page);
    await page.screenshot({ path: `${IMAGES}/${name}.png` });
  });
  writeFileSync(SHOWN, `${JSON.stringify(shown, null, 2)}\n`);
}

if (import.meta.main) await takeScreenshots();
