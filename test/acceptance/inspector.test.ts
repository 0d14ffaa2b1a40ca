import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../eventually.ts';
import { SLOW } from '../slow.ts';
import { BIN, newUser, sharedCache } from './svc.ts';

const CHROMIUM = '/usr/bin/chromium';
const PARTS = ['requests', 'organizations', 'deliveries', 'faults', 'clock'];
const HOSTILE = '<img src=x onerror="document.title=1">\u001b[31m\u202egnp';
const SHOWN_HOSTILE = '<img src=x onerror="document.title=1">\\u001b[31m\\u202egnp';

const DESKTOP: BrowserContextOptions = { viewport: { width: 1200, height: 720 } };
const PHONE: BrowserContextOptions = {
  viewport: { width: 360, height: 700 },
  isMobile: true,
  hasTouch: true,
};

type Service = Awaited<ReturnType<typeof startService>>;

let [browser, service]: [Browser | undefined, Service | undefined] = [undefined, undefined];
let axe = '';
/** Console messages and errors of the pages of all tests. */
const complaints: string[] = [];

/**
 * Starts one `svc serve --ui` for all tests, with a receiver of webhooks that fails until it is
 * told otherwise.
 */
async function startService() {
  const home = await mkdtemp(join(tmpdir(), 'svc-inspector-'));
  const receiver = { status: 500 };
  const hook = createServer((_, response) => response.writeHead(receiver.status).end());
  await once(hook.listen(0, '127.0.0.1'), 'listening');
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, ...sharedCache() };
  const child = spawn(process.execPath, [BIN, 'serve', '--ui', '--port', '0', '-o', 'json'], {
    cwd: home,
    env,
  });
  const [ready] = await once(createInterface(child.stdout), 'line');
  const { url, apiKey, authToken, admin, ui }: Record<string, string> = JSON.parse(ready);
  const headers = {
    'content-type': 'application/json',
    'x-svc-api-key': `${apiKey}`,
    'x-svc-auth-token': `${authToken}`,
  };
  const post = async (path: string, body: object) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        ...headers,
        ...(path.startsWith('/_svc/') && { authorization: `Bearer ${admin}` }),
      },
    });
    return response.json();
  };
  return {
    url,
    ui: `${ui}`,
    admin: `${admin}`,
    authToken: `${authToken}`,
    receiver,
    post,
    hookUrl: `http://127.0.0.1:${(hook.address() as AddressInfo).port}/hook`,
    call: (path: string, data: object) => post(path, { data }),
    close: async () => {
      child.kill('SIGTERM');
      await once(child, 'exit');
      hook.close();
      await rm(home, { recursive: true });
    },
  };
}

async function addRecords({ call }: Service): Promise<void> {
  const organizationId = 'acme';
  const users = [
    { userId: 'ada', name: 'Ada' },
    { userId: 'hank', name: 'Hank' },
    { userId: HOSTILE, name: HOSTILE, renewedAt: 'never' },
  ];
  await call('/v1/users/add', { organizationId, users: users.slice(0, 1) });
  const folders = [
    { folderId: 'plans', folderName: 'Plans' },
    { folderId: 'q3', folderName: HOSTILE, parentFolderId: 'plans', accessType: 'restricted' },
  ];
  await call('/v2/organizations/folders/add', { organizationId, folders });
  await call('/v1/organizations/documents/add', {
    organizationId,
    folderId: 'q3',
    documents: [{ documentId: 'd1', documentName: 'Roadmap' }],
  });
  await call('/v1/users/add', { organizationId, folderId: 'q3', users: users.slice(1, 2) });
  await call('/v1/users/add', { organizationId, users: users.slice(2) });
}

const running = (): Service => service as Service;

/** Opens the page in a tab of its own. */
async function openPage(hash = '', options = DESKTOP): Promise<Page> {
  const context = await (browser as Browser).newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(40_000);
  page.on('console', (message) => {
    // Responses such as 404 are part of the tests.
    if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(running().ui);
  if (hash) await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  return page;
}

const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });

describe.skipIf(!existsSync(CHROMIUM))(`the inspector, in ${CHROMIUM}`, SLOW, () => {
  beforeAll(async () => {
    service = await startService();
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
    await addRecords(service);
  });

  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  it('takes the token out of the address, and keeps the place when the page is loaded again', async () => {
    const page = await openPage();
    await page.getByRole('heading', { name: 'Requests' }).waitFor();
    expect(page.url()).toBe(`${running().url}/_svc/ui`);
    await page.getByRole('link', { name: 'Clock' }).click();
    await page.reload();
    await page.getByRole('heading', { name: 'Clock' }).waitFor();
    expect(page.url()).toBe(`${running().url}/_svc/ui#/clock`);
    expect(await page.content()).not.toContain(running().admin);
  });

  it('asks for the token if it is missing or wrong', async () => {
    const page = await openPage();
    const wrong = await page.context().newPage();
    await wrong.goto(`${running().url}/_svc/ui`);
    await wrong.getByRole('heading', { name: 'The inspector needs the admin token' }).waitFor();
    await wrong.goto(`${running().url}/_svc/ui#token=wrong`);
    await wrong.getByRole('heading', { name: 'The admin token is not valid' }).waitFor();
    expect(await wrong.getByText('svc serve --ui').count()).toBe(1);
    await wrong.goto(running().ui);
    await wrong.getByRole('heading', { name: 'Requests' }).waitFor();
  });

  it('sends no data without the token, and restricts the page to its own files', async () => {
    const page = await fetch(`${running().url}/_svc/ui`);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    const sizes = ['main.mjs', 'style.css', 'icon.svg'].map(async (name) => {
      const response = await fetch(`${running().url}/_svc/ui/${name}`);
      expect([response.status, response.headers.get('cache-control')], name).toEqual([
        200,
        'no-store',
      ]);
      return (await response.arrayBuffer()).byteLength;
    });
    expect((await Promise.all(sizes)).reduce((a, b) => a + b)).toBeLessThan(60_000);
    for (const path of [
      'ui/',
      'ui/none.js',
      'ui/..%2fmain.mjs',
      'requests',
      'deliveries',
      'list?kind=users',
    ]) {
      expect((await fetch(`${running().url}/_svc/${path}`)).status, path).toBe(401);
    }
  });

  it('is refused on an address that other machines can reach', async () => {
    const { svc } = await newUser();
    const { code, stdout, stderr } = await svc([
      'serve',
      '--ui',
      '--host',
      '0.0.0.0',
      '--port',
      '0',
    ]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('--ui needs a loopback address such as 127.0.0.1, got 0.0.0.0');
  });

  it('shows a request when it arrives, and opens it with masked secrets', async () => {
    const page = await openPage();
    await page.getByText('folders add').first().waitFor();
    await running().call('/v2/workspace/emailconfig/update', {
      emailServiceConfig: { type: 'custom', apiKey: 'hunter22hunter22' },
    });
    await page.getByRole('link', { name: /email/ }).first().click();
    const detail = page.getByRole('article');
    await detail.getByText('"type": "custom"').first().waitFor();
    expect(await detail.textContent()).toMatch(/"apiKey": "\*+/);
    expect(await page.content()).not.toContain('hunter22');
  });

  it('filters requests, and holds new ones while the list is paused or under the pointer', async () => {
    const page = await openPage();
    const rows = page.getByRole('list', { name: 'Requests' }).getByRole('link');
    await page.getByText('folders add').first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('presence 200');
    await eventually(async () =>
      expect(await page.getByText('No requests match the filter').count()).toBe(1),
    );
    const arrive = () =>
      running().call('/v2/presence/update', {
        organizationId: 'acme',
        documentId: 'd1',
        users: [{ userId: 'ada' }],
      });
    await arrive();
    await eventually(async () => expect(await rows.count()).toBe(1));
    await rows.first().hover();
    await arrive();
    await button(page, 'Pause (1 new)').waitFor();
    expect(await rows.count()).toBe(1);
    await button(page, 'Pause (1 new)').click();
    await eventually(async () => expect(await rows.count()).toBe(2));
    await arrive();
    await button(page, 'Paused (1 new)').click();
    await eventually(async () => expect(await rows.count()).toBe(3));
  });

  it('folds repeated requests, and unfolds those of the open one', async () => {
    const page = await openPage();
    const rows = page.getByRole('list', { name: 'Requests' }).getByRole('link');
    await rows.first().waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('groups add-users 400');
    const arrive = (organizationId: string) =>
      running().call('/v2/organizations/usergroups/users/add', {
        organizationId,
        organizationUserGroupId: 'none',
        userIds: ['ada'],
      });
    for (let at = 0; at < 3; at += 1) await arrive('acme');
    await eventually(async () => expect(await rows.count()).toBe(3));
    for (let at = 0; at < 5; at += 1) await arrive('acme');
    await eventually(async () => expect(await rows.count()).toBe(1));
    await rows.first().getByText('groups add-users × 8').waitFor();
    await rows
      .first()
      .getByText(/INVALID_ARGUMENT · acme · .*median [\d.]+ ms/)
      .waitFor();
    expect(await rows.first().locator('.badge').getAttribute('class')).toBe('badge bad');
    await rows.first().click();
    await page.getByRole('article', { name: 'groups add-users' }).waitFor();
    await eventually(async () => expect(await rows.count()).toBe(8));
    await arrive('gamma');
    await page.keyboard.press('Escape');
    await page.mouse.move(0, 0);
    await rows.first().getByText('groups add-users × 9').waitFor();
    await rows.first().getByText('2 organizations').waitFor();
  });

  it('shows a page for any address', async () => {
    const addresses = ['#/organizations/%', '#/requests/%E0%A4%A', '#/%', '#//', '#/requests/x/y'];
    for (const address of addresses) {
      const page = await openPage(address);
      await page.reload();
      await page.getByRole('navigation', { name: 'Views' }).waitFor();
      expect(await page.getByRole('heading').count(), address).toBeGreaterThan(0);
      await page.close();
    }
  });

  it('stops reading while it is hidden', async () => {
    const page = await openPage();
    await page.waitForResponse(/requests/);
    await page.evaluate(
      "Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })",
    );
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.waitForTimeout(1_200);
    let requests = 0;
    page.on('request', () => requests++);
    await page.waitForTimeout(1_500);
    expect(requests).toBe(0);
    await page.evaluate(
      "delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))",
    );
    await eventually(() => expect(requests).toBeGreaterThan(0));
  });

  it('shows who can open a document, and explains a denial', async () => {
    const page = await openPage('#/organizations/acme');
    await page.getByRole('treeitem', { name: 'Roadmap' }).click();
    const detail = page.getByRole('article', { name: 'document d1' });
    await detail.getByText('member of folder q3').waitFor();
    expect(await detail.getByRole('listitem').filter({ hasText: 'hank' }).count()).toBe(1);
    await detail.getByLabel('User ID').fill('ada');
    await button(page, 'Explain').click();
    await detail.getByText('ada cannot open this').waitFor();
    expect(await detail.getByText('excluded by a restriction').count()).toBe(1);
    expect(await detail.locator('.empty code').textContent()).toMatch(
      /^svc .*permissions add --user ada /,
    );
    await button(page, 'hank').click();
    await detail.getByText('hank can open this as editor').waitFor();
    await detail.getByLabel('User ID').fill('nobody');
    await button(page, 'Explain').click();
    await detail.getByRole('alert').filter({ hasText: "user 'nobody' not found" }).waitFor();
  });

  it('shows users and groups with their memberships', async () => {
    const page = await openPage('#/organizations/acme/users');
    await page.getByRole('link', { name: 'Hank' }).click();
    const detail = page.getByRole('article', { name: 'user hank' });
    await detail.getByText(/level folder · ID q3/).waitFor();
    await page.getByRole('link', { name: 'Groups' }).click();
    await page.getByText('svc groups add --local --org acme --group sales --name Sales').waitFor();
  });

  it('shows the attempts of a delivery, and retries it', async () => {
    const { call, hookUrl, receiver } = running();
    await call('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await call('/v2/workspace/advancedwebhook/endpoints/create', { url: hookUrl });
    await call('/v2/crdt/add', {
      organizationId: 'acme',
      documentId: 'd1',
      editorId: 'e1',
      type: 'text',
      data: 'one',
    });
    const page = await openPage('#/deliveries');
    await page.getByLabel('State').selectOption('retrying');
    await page.getByRole('link', { name: 'crdt.update_data' }).click();
    const detail = page.getByRole('article');
    const rejected = detail.getByText('500', { exact: true });
    await rejected.waitFor();
    expect(await rejected.getAttribute('class')).toBe('badge bad');
    await detail
      .getByText('in 4 s')
      .or(detail.getByText(/^in \d/))
      .first()
      .waitFor();
    receiver.status = 204;
    await button(page, 'Retry now').click();
    await detail.getByText('204', { exact: true }).waitFor();
    await detail.getByText('delivered', { exact: true }).waitFor();
    expect(await button(page, 'Retry now').count()).toBe(0);
  });

  it('advances, freezes, and resets the clock', async () => {
    const page = await openPage('#/clock');
    await page.getByLabel('Advance by').fill('soon');
    await button(page, 'Advance').click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Advance by').fill('49h');
    await button(page, 'Advance').click();
    await page.getByText(/^\+49h: /).waitFor();
    await page.getByText('+2 d 1 h').first().waitFor();
    await button(page, 'Freeze').click();
    await button(page, 'Run').waitFor();
    await button(page, 'Reset').click();
    await page.getByText('none', { exact: true }).waitFor();
    const clock = await fetch(`${running().url}/_svc/clock`, {
      headers: { authorization: `Bearer ${running().admin}` },
    });
    expect(await clock.json()).toMatchObject({ offset: 0, frozen: false });
  });

  it('adds faults, selects what is wrong with a rule, and clears all', async () => {
    const page = await openPage('#/faults');
    const rule = page.getByLabel('New rule (JSON)');
    const selected = () =>
      page.evaluate(
        '((field) => field.value.slice(field.selectionStart, field.selectionEnd))(document.activeElement)',
      );
    await rule.fill('{ "on": "users.ad", "status": "UNAVAILABLE" }');
    await button(page, 'Add rule').click();
    await page.getByRole('alert').filter({ hasText: "did you mean 'users.add'?" }).waitFor();
    await eventually(async () => expect(await selected()).toBe('"on": "users.ad"'));
    await rule.fill('{ "on" "users.add" }');
    await button(page, 'Add rule').click();
    await page.getByRole('alert').filter({ hasText: 'position' }).waitFor();
    await eventually(async () => expect(await selected()).toBe('"'));
    await rule.fill('{ "name": "flaky", "on": "users.add", "status": "UNAVAILABLE" }');
    await button(page, 'Add rule').click();
    await page.getByRole('listitem').filter({ hasText: 'flaky' }).waitFor();
    expect(
      await running().call('/v1/users/add', { organizationId: 'acme', users: [{ userId: 'u1' }] }),
    ).toHaveProperty('error');
    await page.getByRole('link', { name: 'Requests' }).click();
    await page.getByText('UNAVAILABLE · fault flaky · acme').waitFor();
    await page.getByRole('link', { name: 'Faults' }).click();
    await button(page, 'Clear all').click();
    await page.getByText('No fault rules').waitFor();
    expect(
      await running().call('/v1/users/add', { organizationId: 'acme', users: [{ userId: 'u1' }] }),
    ).toHaveProperty('result');
  });

  it('can be used with the keyboard only', async () => {
    const page = await openPage();
    const { keyboard } = page;
    const focused = () =>
      page.evaluate<string>(
        'document.activeElement === document.body ? "" : document.activeElement.textContent',
      );
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await keyboard.press(key);
    };
    const hasNodes = (count: number) =>
      eventually(async () => expect(await page.getByRole('treeitem').count()).toBe(count));
    await page.getByText('folders add').first().waitFor();
    await press('Tab');
    expect(await focused()).toBe('Requests');
    await press('/', 'Tab', 'Tab', 'End', 'ArrowUp', 'Enter');
    await page.getByRole('article', { name: 'folders add' }).waitFor();
    await press('ArrowUp');
    await page.getByRole('article', { name: 'documents add' }).waitFor();
    await press('Escape');
    await eventually(async () => expect(await page.getByRole('article').count()).toBe(0));
    expect(await focused()).toContain('documents add');
    await page.getByRole('link', { name: 'Organizations', exact: true }).focus();
    await press('Enter');
    await page
      .getByRole('list', { name: 'organizations' })
      .getByRole('link', { name: 'acme' })
      .waitFor();
    await press('/', 'Tab', 'Enter');
    await page.getByRole('treeitem', { name: 'Plans' }).waitFor();
    await press('/', 'Tab', 'Tab', 'Tab', 'Tab', 'Tab');
    await eventually(async () => expect(await focused()).toContain('Plans'));
    await press('ArrowLeft');
    await hasNodes(1);
    await press('ArrowRight');
    await hasNodes(3);
    await press('ArrowRight', 'ArrowRight', 'Enter');
    await page.getByRole('article', { name: 'document d1' }).waitFor();
    await page.getByRole('link', { name: 'Close' }).focus();
    await press('Enter');
    await eventually(async () => expect(await focused()).toContain('Roadmap'));
    await press('ArrowLeft', 'ArrowLeft');
    await hasNodes(2);
    await press('ArrowLeft');
    await eventually(async () => expect(await focused()).toContain('Plans'));
  });

  it('shows names that look like markup or control characters as text', async () => {
    const page = await openPage('#/organizations/acme/users');
    await page.getByText(SHOWN_HOSTILE).first().click();
    await page.getByRole('article', { name: `user ${SHOWN_HOSTILE}` }).waitFor();
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByRole('treeitem', { name: SHOWN_HOSTILE }).waitFor();
    await running().call('/v1/users/add', {
      organizationId: HOSTILE,
      users: [{ userId: HOSTILE }],
    });
    await page.evaluate("location.hash = '#/requests'");
    await page.getByRole('link', { name: SHOWN_HOSTILE }).first().click();
    await page.getByRole('article').getByText('onerror').first().waitFor();
    await page.evaluate(
      `location.hash = '#/organizations/' + encodeURIComponent(${JSON.stringify(HOSTILE)})`,
    );
    await page.getByRole('heading', { name: SHOWN_HOSTILE }).waitFor();
    expect(await page.locator('img, script:not([src])').count()).toBe(0);
    expect(await page.title()).toBe('Organizations · svc');
  });

  it.each([
    ['in light mode', { ...DESKTOP, colorScheme: 'light' }, {}],
    // Only the colors differ from those in light mode.
    ['in dark mode', { ...DESKTOP, colorScheme: 'dark' }, { runOnly: ['color-contrast'] }],
    ['on a phone', { ...PHONE, colorScheme: 'dark' }, {}],
  ] as const)('is accessible and fits %s', async (_, options, rules) => {
    const page = await openPage('', options);
    await page.evaluate(axe);
    const details = [
      'requests/1',
      'organizations/acme',
      'organizations/acme/documents/d1',
      'organizations/acme/users/hank',
    ];
    for (const place of [...PARTS, ...details]) {
      await page.evaluate(`location.hash = '#/${place}'`);
      await page.waitForResponse(/_svc/);
      await page.waitForTimeout(100);
      const { violations } = await page.evaluate<{
        violations: { id: string; impact: string; nodes: { html: string }[] }[];
      }>(`axe.run(${JSON.stringify(rules)})`);
      const grave = violations.filter(
        ({ impact }) => impact === 'serious' || impact === 'critical',
      );
      expect(
        grave.map(({ id, nodes }) => [id, nodes[0]?.html]),
        place,
      ).toEqual([]);
      const overflow = 'document.documentElement.scrollWidth - innerWidth';
      expect(await page.evaluate(overflow), place).toBe(0);
    }
  });

  it('causes no errors and no violations of its policy', () => {
    expect(complaints).toEqual([]);
  });
});
