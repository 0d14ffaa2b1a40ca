import { createHash } from 'node:crypto';
import { readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Explanation } from '../../src/catalog/local/answers.ts';
import { newUserInProcess } from './in-process.ts';
import { startServing } from './serving.ts';
import { newUser, type User } from './svc.ts';

const BEFORE = `svc: 1
organizations: [{ organizationId: acme }]
folders:
  - { organizationId: acme, folderId: plans, folderName: Plans }
  - { organizationId: acme, folderId: q3, parentFolderId: plans }
  - { organizationId: acme, folderId: vault, accessType: restricted, inheritAccessFromParent: false }
documents:
  - { organizationId: acme, documentId: roadmap, folderId: plans }
  - { organizationId: acme, documentId: budget, folderId: q3 }
  - { organizationId: acme, documentId: notes }
users:
  - { organizationId: acme, userId: ada, accessRole: editor }
  - { organizationId: acme, userId: bo, memberships: [{ type: folder, id: plans, accessRole: viewer }] }
  - { organizationId: acme, userId: cy, memberships: [{ type: folder, id: vault, accessRole: editor }] }
  - { organizationId: acme, userId: di, memberships: [{ type: document, id: notes, accessRole: editor }] }
`;

/** Moves a folder with a subfolder into a restricted one, and changes the access of three users. */
const AFTER = `svc: 1
folders:
  - { organizationId: acme, folderId: plans, folderName: Plans, parentFolderId: vault }
documents:
  - { organizationId: acme, documentId: draft, folderId: plans }
users:
  - { organizationId: acme, userId: bo, memberships: [{ type: folder, id: plans, accessRole: editor }] }
  - organizationId: acme
    userId: di
    memberships: [{ type: document, id: notes, accessRole: editor, expiresAt: 1801353600 }]
  - { organizationId: acme, userId: eve, memberships: [{ type: document, id: budget, accessRole: viewer }] }
`;

const ACCESS = `Access: 2 people gain, 1 loses, 2 change
  folders plans, q3 (acme)
    ada: editor → none through organization acme (with 2 documents)
    bo: viewer → editor through folder plans (with 2 documents)
    cy: none → editor through folder vault (with 2 documents)
  folder q3 (acme)
    document budget: eve: none → viewer through document budget
  organization acme
    document notes: di: editor → editor until 2027-01-31 through document notes
`;

const USERS = ['ada', 'bo', 'cy', 'di', 'eve'];
const DOCUMENTS = ['roadmap', 'budget', 'notes'];

/** Asks the embedded service for the role of each user in each document. */
async function explainAll({ svc, home }: User, users = USERS) {
  const cases = users.flatMap((user) =>
    DOCUMENTS.map((document) => ({ org: 'acme', user, document, expect: 'allowed' })),
  );
  await writeFile(join(home, 'cases.yaml'), JSON.stringify({ cases }));
  const { stdout } = await svc(['local', 'explain', '--cases', 'cases.yaml', '-o', 'json']);
  const explanations: readonly Explanation[] = JSON.parse(stdout).cases;
  return new Map(explanations.map(({ user, document, role }) => [`${user} ${document}`, role]));
}

interface Row {
  readonly user: string;
  readonly resource: { readonly type: string; readonly id: string };
  readonly before: { readonly role: string } | null;
  readonly after: { readonly role: string } | null;
}

describe('the access that a plan changes', () => {
  it('is shown before apply, and is what svc local explain answers afterward', async () => {
    const user = await newUser();
    const { home, svc } = user;
    await writeFile(join(home, 'before.yaml'), BEFORE);
    await writeFile(join(home, 'svc.yaml'), AFTER);
    expect(await svc(['local', 'import', 'before.yaml'])).toMatchObject({ code: 0 });
    const before = await explainAll(user, USERS.slice(0, -1));
    const planned = await svc(['--local', 'plan', '--out', 'plan.json', '--exit-code']);
    expect(planned.code).toBe(20);
    expect(sortLines(planned.stdout.slice(planned.stdout.indexOf('Access: ')))).toEqual(
      sortLines(`${ACCESS}apply: svc --local apply plan.json\n`),
    );
    const shown = await svc(['plan', 'show', 'plan.json']);
    expect(sortLines(shown.stdout.slice(shown.stdout.indexOf('Access: ')))).toEqual(
      sortLines(`${ACCESS}apply: svc --local apply plan.json\n`),
    );
    const json = JSON.parse((await svc(['plan', 'show', 'plan.json', '-o', 'json'])).stdout);
    expect(json).toMatchObject({
      accessTruncated: false,
      accessCounts: { gain: 2, lose: 1, change: 2 },
      accessUnknown: { documents: 0, people: 0 },
    });
    expect(await svc(['--local', 'apply', 'plan.json', '--yes'])).toMatchObject({ code: 0 });
    const after = await explainAll(user);
    const rows = new Map(
      (json.access as readonly Row[])
        .filter(({ resource }) => resource.type === 'document')
        .map((row) => [`${row.user} ${row.resource.id}`, row]),
    );
    for (const [key, role] of after) {
      const { [key]: row } = Object.fromEntries(rows);
      const earlier = before.get(key) ?? null;
      expect([key, row ? (row.before?.role ?? null) : earlier]).toEqual([key, earlier]);
      expect([key, row ? (row.after?.role ?? null) : earlier]).toEqual([key, role]);
    }
  });
});

/** The order of people within a folder is not promised. */
function sortLines(text: string): readonly string[] {
  return text.split('\n').toSorted();
}

/** A user of a service whose members cannot be read, with the state before the plan. */
async function createServedUser() {
  const user = await newUserInProcess();
  await writeFile(join(user.home, 'before.yaml'), BEFORE);
  expect(await user.svc(['local', 'import', 'before.yaml'])).toMatchObject({ code: 0 });
  const { env } = await startServing(user);
  const plan = async (settings: string, ...words: readonly string[]) => {
    await writeFile(join(user.home, 'svc.yaml'), settings);
    const { code, stdout, stderr } = await user.svc(['plan', '-o', 'json', ...words], { env });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    return JSON.parse(stdout);
  };
  return { ...user, plan, serving: env };
}

const MOVE = `svc: 1
folders: [{ organizationId: acme, folderId: plans, parentFolderId: vault }]
`;
const declareBo = (membership: string) =>
  `users: [{ organizationId: acme, userId: bo, memberships: [{ ${membership} }] }]\n`;

describe('the access of people whom a service does not name', () => {
  it('is unknown, and counted', async () => {
    const { plan, svc, home, serving: env } = await createServedUser();
    const moved = await plan(MOVE);
    expect(moved).toMatchObject({ access: [], accessUnknown: { documents: 2, people: 0 } });
    await writeFile(join(home, 'svc.yaml'), MOVE);
    expect((await svc(['plan'], { env })).stdout).toContain(
      'Access: no known change\n  unknown for 2 documents: their members cannot be read from this service\n',
    );
    const declared = await plan(`svc: 1\n${declareBo('type: folder, id: plans')}`);
    expect(declared).toMatchObject({ access: [], accessUnknown: { documents: 0, people: 1 } });
    const renamed = await plan(
      'svc: 1\nfolders: [{ organizationId: acme, folderId: plans, folderName: New }]\n',
    );
    expect(renamed).toMatchObject({ access: [], accessUnknown: { documents: 0, people: 0 } });
  });

  it('is known if svc sent it', async () => {
    const { plan, svc, serving: env } = await createServedUser();
    const viewer = declareBo('type: folder, id: plans, accessRole: viewer');
    await plan(`svc: 1\n${viewer}`);
    expect(await svc(['apply', '--yes'], { env })).toMatchObject({ code: 0 });
    const bo = { user: 'bo', through: { type: 'folder', id: 'plans' } };
    const role = (name: string, expiresAt: string | null = null) => ({ role: name, expiresAt });
    const editor = declareBo('type: folder, id: plans, accessRole: editor');
    expect((await plan(`svc: 1\n${editor}`)).access).toMatchObject([
      { ...bo, resource: { type: 'folder', id: 'plans' }, before: role('viewer') },
      { ...bo, resource: { type: 'folder', id: 'q3' }, after: role('editor') },
    ]);
    const ending = declareBo('type: folder, id: q3, accessRole: viewer, expiresAt: 1801353600');
    expect((await plan(`svc: 1\n${ending}`)).access).toEqual([]);
    const short = declareBo('type: folder, id: plans, accessRole: viewer, expiresAt: 1801353600');
    expect((await plan(`svc: 1\n${short}`)).access).toMatchObject([
      { before: role('viewer'), after: role('viewer', '2027-01-31T00:00:00.000Z') },
      { before: role('viewer'), after: role('viewer', '2027-01-31T00:00:00.000Z') },
    ]);
    // Members of folders around keep their access if the folder moves with its own member.
    expect(await plan(`${MOVE}${viewer}`, '--only', 'folders')).toMatchObject({
      access: [],
      accessUnknown: { documents: 2, people: 0 },
    });
  });

  it('is known from the members in a file, of which the plan contains no secret', async () => {
    const { plan, svc, home, serving } = await createServedUser();
    expect(await svc(['local', 'export', 'members.json'])).toMatchObject({ code: 0 });
    const exported = JSON.parse(await readFile(join(home, 'members.json'), 'utf8'));
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    exported.endpoints.push({ url: 'https://hooks.example.com', secret });
    const text = JSON.stringify(exported);
    await writeFile(join(home, 'members.json'), text);
    const time = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000 - 60_000);
    await utimes(join(home, 'members.json'), time, time);
    const settings = AFTER.replace(/documents:\n.*\n/, '');
    const found = await plan(settings, '--members', 'members.json', '--out', 'plan.json');
    expect(found).toMatchObject({
      accessCounts: { gain: 2, lose: 1, change: 2 },
      accessUnknown: { documents: 0, people: 0 },
      accessMembers: { sha256: createHash('sha256').update(text).digest('hex') },
    });
    const saved = await readFile(join(home, 'plan.json'), 'utf8');
    expect(saved).not.toContain(secret);
    expect((await svc(['plan', 'show', 'plan.json'])).stdout).toContain(
      'Access: 2 people gain, 1 loses, 2 change\n  members: members.json, 3 days old\n',
    );
    const refused = await svc(['--local', 'plan', '--members', 'members.json']);
    expect(refused).toMatchObject({ code: 2 });
    await writeFile(join(home, 'other.json'), '{"records":[]}');
    expect(await svc(['plan', '--members', 'other.json'], { env: serving })).toMatchObject({
      code: 3,
      stderr: 'svc: other.json is not an output of svc local export\n',
    });
  });
});

const VAULT = 'type=folder,id=vault,org=acme,role=viewer';

describe('a saved plan', () => {
  it('is outdated if other people would gain access than it shows', async () => {
    const { svc, home } = await newUserInProcess();
    await writeFile(join(home, 'before.yaml'), BEFORE);
    await writeFile(join(home, 'svc.yaml'), MOVE);
    const local = (...words: readonly string[]) =>
      svc(['--local', '--store', join(home, 'store.sqlite'), ...words]);
    expect(await local('local', 'import', 'before.yaml')).toMatchObject({ code: 0 });
    expect(await local('plan', '--out', 'plan.json')).toMatchObject({ code: 0 });
    const added = await local('permissions', 'add', '--user', 'eve', '--resource', VAULT);
    expect(added).toMatchObject({ code: 0 });
    expect(await local('apply', 'plan.json', '--yes')).toMatchObject({
      code: 15,
      stderr: expect.stringContaining('the members have changed since the plan was saved'),
    });
  });
});

it('--expiring lists the declared access that ends soon, with exact times', async () => {
  const { svc, home } = await newUserInProcess();
  const end = Math.floor(Date.now() / 1000) + 10 * 24 * 60 * 60;
  const grants = [
    `{ type: folder, id: plans, accessRole: editor, expiresAt: ${end} }`,
    `{ type: document, id: notes, expiresAt: ${end + 40 * 24 * 60 * 60} }`,
  ];
  await writeFile(join(home, 'before.yaml'), BEFORE);
  expect(await svc(['local', 'import', 'before.yaml'])).toMatchObject({ code: 0 });
  await writeFile(
    join(home, 'svc.yaml'),
    `svc: 1\nusers: [{ organizationId: acme, userId: bo, memberships: [${grants.join(', ')}] }]\n`,
  );
  const time = new Date(end * 1000).toISOString().replace('.000Z', 'Z');
  const text = `Expiring within 30d:\n  bo: editor of folder plans (acme) until ${time}\n`;
  const plan = () => svc(['--local', 'plan', '--expiring', '30d']);
  expect((await plan()).stdout).toContain(text);
  expect(await svc(['--local', 'apply', '--yes'])).toMatchObject({ code: 0 });
  expect((await plan()).stdout).toMatch(/^.*\n\nNo changes: .*\nExpiring within 30d:\n/);
  expect((await svc(['--local', 'plan', '--expiring', 'soon'])).code).toBe(2);
});
