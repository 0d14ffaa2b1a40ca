import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatCanonicalJson, isObject } from '../../src/kernel/json.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { type ApplyRequest, type ApplyUser, createApplyUser, settingsOf } from './apply-user.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests edit plans of every shape
type Json = any;

/** A user with a saved plan of every kind of change, and a service that refuses every write. */
async function savePlan() {
  const user = await createApplyUser();
  const endpoint = (filterTypes: string) =>
    `  - { uid: acme.typed, url: "https://h.example.com/typed", filterTypes: ${filterTypes} }\n`;
  await user.declare(settingsOf('acme') + endpoint('[comment.add]'));
  expect(await user.svc(['apply', '--yes'])).toMatchObject({ code: 0 });
  await writeFile(join(user.home, 'users.csv'), 'organizationId,userId\nbeta,u8\nbeta,u9\n');
  await user.declare(
    settingsOf('acme')
      .replace('folderName: B,', 'folderName: B2,')
      .replace('folders:\n', 'folders:\n  - { organizationId: acme, folderId: new }\n')
      .replace('documents:\n', 'documents:\n  - { organizationId: acme, documentId: d3 }\n')
      .replace('groupName: Group', 'groupName: Renamed')
      .replace(/users:\n( .*\n)+/, 'users: { from: users.csv }\n')
      .replace('hooks.example.com/acme', 'hooks.example.com/other')
      .replace('filterTypes: [comment.add]', 'description: changed')
      .replace(/.*acme\.second.*\n/, '  - { uid: acme.third, url: "https://h.example.com/" }\n') +
      endpoint('null'),
  );
  const saved = await user.svc(['plan', '--prune', '--out', 'plan.json', '--allow-replace'], {
    HOOK_TOKEN: 'another-hook-token',
  });
  expect(saved).toMatchObject({ code: 0 });
  const plan: Json = JSON.parse(await readFile(join(user.home, 'plan.json'), 'utf8'));
  user.requests.length = 0;
  user.control.intercept = ({ isWrite }) =>
    isWrite ? { status: 'INVALID_ARGUMENT', message: 'refused' } : undefined;
  return { user, plan };
}

/** Applies a plan with a valid digest, whatever else it contains. */
async function applyForged({ user }: { user: ApplyUser }, { sha256: _old, ...forged }: Json) {
  const sha256 = createHash('sha256').update(formatCanonicalJson(forged)).digest('hex');
  await writeFile(join(user.home, 'forged.json'), JSON.stringify({ ...forged, sha256 }));
  user.requests.length = 0;
  const env = { HOOK_TOKEN: 'another-hook-token', OTHER_TOKEN: 'not-for-anyone' };
  return user.svc(['apply', 'forged.json', '--yes'], env);
}

const same = (left: unknown, right: unknown) =>
  formatCanonicalJson(left ?? null) === formatCanonicalJson(right ?? null);

/** Whether a plan shows each part of a write. */
function isShown({ path, data }: ApplyRequest, { changes }: Json, live: Json): boolean {
  const find = (kind: string, id: unknown, signs: string): Json[] =>
    changes.filter(
      (change: Json) =>
        change.kind === kind && change.id === id && signs.split(' ').includes(change.sign),
    );
  const shows = (kind: string, id: unknown, fields: Json): boolean =>
    Object.entries(fields).every(([field, value]) =>
      find(kind, id, '~').some((change) => change.field === field && same(change.after, value)),
    );
  const list = (records: Json[], kind: string, name: string) =>
    records.every((record) => find(kind, record[name], '+ >').length > 0);
  const uidOf = (id: string) => live.endpoints.find((each: Json) => each.id === id)?.uid;
  const { endpointId, ...settings } = data;
  switch (path.replace(/^\/v[12]\/(organizations|workspace)\//, '')) {
    case 'add':
      return list(data.organizations ?? [data], 'organizations', 'organizationId');
    case 'folders/add':
      return list(data.folders, 'folders', 'folderId');
    case 'folders/update':
      return data.folders.every(({ folderId, ...fields }: Json) =>
        shows('folders', folderId, fields),
      );
    case 'documents/add':
      return list(data.documents, 'documents', 'documentId');
    case 'usergroups/add':
      return list(data.organizationUserGroups, 'groups', 'groupId');
    case 'usergroups/users/add':
      return find('groups', data.organizationUserGroupId, '>').length > 0;
    case 'advancedwebhook/endpoints/create':
      return find('endpoints', data.uid, '+ -/+').some(({ after }) => same(after.url, data.url));
    case 'advancedwebhook/endpoints/update':
      return shows('endpoints', uidOf(endpointId), settings);
    case 'advancedwebhook/endpoints/delete':
      return changes.some(({ sign, before }: Json) => /^-/.test(sign) && before?.id === endpointId);
    case 'webhookconfig/update':
      return Object.entries(data.webhookServiceConfig).every(
        ([field, value]) =>
          same(live.webhook.webhookServiceConfig[field], value) ||
          find('config', 'webhook', '~').some(
            (change) =>
              change.field === `webhookServiceConfig.${field}` &&
              (same(change.after, value) || (field === 'authToken' && change.after === 'differ')),
          ),
      );
    default:
      // Users of a file are shown as a number, and the file is fixed by its hash.
      return (
        path.endsWith('/users/add') &&
        data.users.every(({ userId }: Json) => /^u[89]$/.test(userId))
      );
  }
}

/** Lists the paths of all values below a value. */
function pathsOf(value: Json, path: readonly string[] = []): readonly (readonly string[])[] {
  const inner = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  return [path, ...inner.flatMap((key) => pathsOf(value[key], [...path, key]))];
}

const at = (value: Json, path: readonly string[]): Json =>
  path.reduce((inner, key) => inner?.[key], value);

const JUNK: readonly Json[] = [
  null,
  0,
  -1,
  1e308,
  '',
  'x',
  true,
  [],
  {},
  [[]],
  { $secret: { env: 'OTHER_TOKEN' } },
  { $secret: 'live' },
  { env: 'OTHER_TOKEN' },
  'auth-tokens.reset',
  '/v2/workspace/authtokens/reset',
  '__proto__',
  '/etc/hostname',
  '\u0000\u202e',
];

/** One edit of a plan, described by numbers that choose paths and values. */
const edit = fc.record({
  where: fc.nat(),
  what: fc.constantFrom('delete', 'junk', 'copy', 'repeat', 'add', 'swap'),
  from: fc.nat(),
  junk: fc.constantFrom(...JUNK),
});

function mutate(plan: Json, { where, what, from, junk }: Json): Json {
  const mutated = structuredClone(plan);
  const paths = pathsOf(mutated).filter((path) => path.length > 0 && path[0] !== 'sha256');
  const [path, other] = [paths[where % paths.length] ?? [], paths[from % paths.length] ?? []];
  const parent = at(mutated, path.slice(0, -1));
  const key = path.at(-1) ?? '';
  const copy = structuredClone(at(mutated, other));
  if (what === 'delete') Array.isArray(parent) ? parent.splice(Number(key), 1) : delete parent[key];
  else if (what === 'junk') parent[key] = structuredClone(junk);
  else if (what === 'copy') parent[key] = copy;
  else if (what === 'repeat' && Array.isArray(parent))
    parent.push(structuredClone(parent[Number(key)]));
  else if (what === 'swap' && Array.isArray(parent)) parent.reverse();
  else if (isObject(parent)) Reflect.set(parent, String(junk), copy);
  return mutated;
}

async function readService(user: ApplyUser) {
  const { endpoints } = await user.read('/v2/workspace/advancedwebhook/endpoints/get');
  return { endpoints, webhook: await user.read('/v2/workspace/webhookconfig/get') };
}

const change = (plan: Json, kind: string, sign: string) =>
  plan.changes.find((each: Json) => each.kind === kind && each.sign === sign);

/** Forgeries of a saved plan: what the plan does, and the expected exit code and message. */
const FORGERIES: readonly [title: string, code: number, message: string, (plan: Json) => void][] = [
  [
    'names operations',
    3,
    'writes',
    (plan) => {
      const items = [{ key: 'config//x', data: {}, requires: [] }];
      plan.writes = [{ operation: 'auth-tokens.reset', shared: {}, items }];
    },
  ],
  [
    'has an unknown field',
    3,
    'extra',
    (plan) => {
      plan.extra = 1;
    },
  ],
  [
    'has an unknown field in a change',
    3,
    'changes[0]',
    (plan) => {
      plan.changes[0].operation = 'users.add';
    },
  ],
  [
    'has an unknown field in a value',
    3,
    'value',
    (plan) => {
      change(plan, 'folders', '~').value.color = 'red';
    },
  ],
  [
    'writes a secret as a label',
    3,
    'must not be a secret',
    (plan) => {
      change(plan, 'groups', '>').value.label = { $secret: { env: 'OTHER_TOKEN' } };
    },
  ],
  [
    'writes a secret in a list',
    3,
    'must not be a secret',
    (plan) => {
      change(plan, 'groups', '>').value.tags = [{ $secret: { env: 'OTHER_TOKEN' } }];
    },
  ],
  [
    'refers to another secret',
    3,
    'secret without a hash',
    (plan) => {
      for (const each of plan.changes)
        if (each.id === 'webhook')
          each.value.webhookServiceConfig.authToken.$secret = { env: 'OTHER_TOKEN' };
    },
  ],
  [
    'contains a secret',
    3,
    'authToken',
    (plan) => {
      for (const each of plan.changes)
        if (each.id === 'webhook') each.value.webhookServiceConfig.authToken = 'plain';
    },
  ],
  [
    'writes what is never written',
    3,
    'svc cannot write agents',
    (plan) => {
      plan.changes.push({ ...change(plan, 'folders', '~'), kind: 'agents' });
    },
  ],
  [
    'has values for what cannot change',
    3,
    'not expected',
    (plan) => {
      change(plan, 'folders', '~').sign = '!';
    },
  ],
  [
    'has different values for one record',
    3,
    'differs between changes',
    (plan) => {
      plan.changes.find((each: Json) => each.id === 'webhook').value.useWebhookService = false;
    },
  ],
  [
    'counts fewer changes',
    3,
    'summary',
    (plan) => {
      plan.summary.delete = 0;
    },
  ],
  [
    'writes another value',
    15,
    'does not show how it would change folders/acme/b',
    (plan) => {
      change(plan, 'folders', '~').value.folderName = 'B3';
    },
  ],
  [
    'writes another field',
    15,
    'does not show',
    (plan) => {
      change(plan, 'folders', '~').value.parentFolderId = 'root';
    },
  ],
  [
    'shows another value',
    15,
    'does not show',
    (plan) => {
      change(plan, 'folders', '~').after = 'B3';
    },
  ],
  [
    'writes another record',
    15,
    'does not show',
    (plan) => {
      change(plan, 'folders', '~').value.folderId = 'a';
    },
  ],
  [
    'turns an update into a deletion',
    3,
    'must be null',
    (plan) => {
      change(plan, 'endpoints', '~').sign = '-';
    },
  ],
  [
    'deletes another endpoint',
    15,
    'does not show',
    (plan) => {
      change(plan, 'endpoints', '-').id = 'acme.first';
    },
  ],
  [
    'sends users of another file',
    15,
    'hostname',
    (plan) => {
      change(plan, 'users', '>').value.from = '/etc/hostname';
    },
  ],
  [
    'sends more users than it shows',
    15,
    'does not show',
    (plan) => {
      change(plan, 'users', '>').after = 1;
      plan.summary.send -= 1;
    },
  ],
  [
    'reads less than it writes',
    15,
    'does not show',
    (plan) => {
      plan.query.folders = [];
      for (const key of Object.keys(plan.records))
        if (key.startsWith('folders/')) delete plan.records[key];
    },
  ],
  [
    'refers to a secret by a number',
    3,
    'authToken',
    (plan) => {
      change(plan, 'config', '~').value.webhookServiceConfig.authToken = { $secret: 1 };
    },
  ],
  [
    'has no shape',
    3,
    'changes',
    (plan) => {
      plan.changes = [null];
    },
  ],
  [
    'is nested too deeply',
    3,
    'not a saved plan',
    (plan) => {
      for (let depth = 0; depth < 150; depth += 1)
        plan.changes[0].before = [plan.changes[0].before];
    },
  ],
];

describe('svc apply of a forged plan with a valid digest', () => {
  it('applies the plan if nothing is forged', SLOW, async () => {
    const { user, plan } = await savePlan();
    const signs = new Set(plan.changes.map(({ sign }: Json) => sign));
    expect([...signs].toSorted()).toEqual(['+', '-', '-/+', '>', '~']);
    expect(JSON.stringify(plan)).not.toMatch(/"(folders|endpoints|users|config)\.[a-z]+"/);
    user.control.intercept = () => undefined;
    expect(await applyForged({ user }, plan)).toMatchObject({ code: 0 });
    expect(user.writes().length).toBeGreaterThan(7);
  });

  it('sends nothing, and names the forgery', SLOW, async () => {
    // All forgeries share a plan: no write changes the service or the user's ledger.
    const { user, plan } = await savePlan();
    for (const [title, code, message, forge] of FORGERIES) {
      const forged = structuredClone(plan);
      forge(forged);
      const run = await applyForged({ user }, forged);
      expect([title, run.code, run.stderr]).toEqual([
        title,
        code,
        expect.stringContaining(message),
      ]);
      expect([title, user.writes()]).toEqual([title, []]);
    }
  });

  it('never sends a write that it does not show, and never ends as a bug', {
    ...SLOW,
    timeout: repeats(120_000),
  }, async () => {
    const saved = await savePlan();
    const live = await readService(saved.user);
    const codes = new Map<number | null, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 3 }), async (edits) => {
        const forged = edits.reduce(mutate, saved.plan);
        const { code, stderr } = await applyForged(saved, forged);
        codes.set(code, (codes.get(code) ?? 0) + 1);
        expect([code, stderr]).toEqual([
          code === 0 || code === 2 || code === 3 || code === 10 || code === 15
            ? code
            : 'an exit code of a plan',
          stderr,
        ]);
        for (const write of saved.user.writes())
          expect([write.path, write.data, isShown(write, forged, live)]).toEqual([
            write.path,
            write.data,
            true,
          ]);
      }),
      { numRuns: repeats(60) },
    );
    expect(codes.get(3)).toBeGreaterThan(0);
  });
});
