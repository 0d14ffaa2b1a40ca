import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Journal } from '../../src/bulk/journal/journal.ts';
import { canSaveWrite } from '../../src/catalog/harmless.ts';
import { manifest, type OperationEntry } from '../../src/catalog/manifest.ts';
import { valueAt } from '../../src/kernel/field-path.ts';
import { formatCanonicalJson } from '../../src/kernel/json.ts';
import { formatStatement } from '../../src/settings/plan/approval.ts';
import type { PlannedRecords, SavedWrite } from '../../src/settings/plan/saved-write.ts';
import { startTestService } from '../service/test-service.ts';
import { createValidCalls } from '../service/valid-calls.ts';
import { SLOW } from '../slow.ts';
import { createKey, hasSshKeygen, signText } from '../ssh-keygen.ts';
import { createApplyUser } from './apply-user.ts';
import { startDialogueInProcess } from './dialogue.ts';
import { wordsOf } from './doors.ts';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';

const USERS = 'userId,name\nu1,Ada\nu2,Bo\nu3,Cy\n';
const SAVE = ['users', 'add', '--org', 'acme', '--file', 'users.csv', '--out', 'plan.json'];

type SavedImport = SavedWrite & { readonly write: PlannedRecords };

async function createImportUser() {
  const user = await createApplyUser();
  const { home, svc } = user;
  const path = join(home, 'plan.json');
  const readPlan = async (): Promise<SavedImport> => JSON.parse(await readFile(path, 'utf8'));
  await writeFile(join(home, 'users.csv'), USERS);
  expect(await svc(SAVE)).toMatchObject({ code: 0 });
  expect(user.requests).toEqual([]);
  return {
    ...user,
    readPlan,
    copy: async () => join(home, (await readPlan()).write.files[0]?.copy ?? ''),
    apply: () => svc(['apply', 'plan.json', '--yes']),
    /** Changes the plan as someone does who also computes its digest. */
    forge: async (change: (plan: SavedImport) => object) => {
      const saved = await readPlan();
      const { sha256: _, ...changed } = { ...saved, ...change(saved) };
      const sha256 = createHash('sha256').update(formatCanonicalJson(changed)).digest('hex');
      await writeFile(path, JSON.stringify({ ...changed, sha256 }));
    },
  };
}

type ImportUser = Awaited<ReturnType<typeof createImportUser>>;

describe('a saved import', () => {
  it('sends exactly its records as a job, once', async () => {
    const user = await createImportUser();
    const shown = await user.svc(['plan', 'show', 'plan.json']);
    expect(shown.stdout).toContain('> users add: 3 users from users.csv');
    const applied = await user.svc(['apply', 'plan.json', '--yes', '-o', 'json']);
    expect(applied.code, applied.stderr).toBe(0);
    const [request, ...others] = user.writes();
    expect([request?.data.users, others]).toEqual([
      [
        { userId: 'u1', name: 'Ada' },
        { userId: 'u2', name: 'Bo' },
        { userId: 'u3', name: 'Cy' },
      ],
      [],
    ]);
    const { job, total } = JSON.parse(applied.stdout);
    expect(total).toBe(3);
    expect((await user.svc(['jobs', 'show', job])).stdout).toContain('users.csv');
    const again = await user.apply();
    expect([again.code, again.stderr]).toEqual([15, expect.stringContaining('applied before')]);
    expect(user.writes()).toHaveLength(1);
  });

  it.each<[string, number, string, (user: ImportUser) => Promise<unknown>]>([
    [
      'an edited input',
      15,
      'users.csv has changed since the plan was saved',
      ({ home }) => writeFile(join(home, 'users.csv'), `${USERS}u4,Di\n`),
    ],
    [
      'a replaced copy',
      15,
      '.csv, and run svc users add',
      async ({ copy }) => writeFile(await copy(), USERS.replace('Ada', 'Eve')),
    ],
    ['a missing copy', 15, 'is not the copy of users.csv', async ({ copy }) => rm(await copy())],
    [
      'an edited plan',
      3,
      'was edited after it was saved',
      async ({ home, readPlan }) => {
        const { write, ...plan } = await readPlan();
        const edited = { ...plan, write: { ...write, data: { organizationId: 'beta' } } };
        await writeFile(join(home, 'plan.json'), JSON.stringify(edited));
      },
    ],
    [
      'a copy in another folder',
      3,
      'expected the name of a file',
      ({ forge }) =>
        forge(({ write }) => ({
          write: { ...write, files: [{ ...write.files[0], copy: '../users.csv' }] },
        })),
    ],
    [
      'an operation that plans cannot contain',
      3,
      'has no write auth-tokens.reset',
      ({ forge }) =>
        forge(({ write }) => ({ write: { ...write, operation: 'auth-tokens.reset' } })),
    ],
    [
      'another address',
      15,
      'the plan is for https://prod.example.com, not for',
      ({ forge }) =>
        forge(({ target }) => ({ target: { ...target, url: 'https://prod.example.com' } })),
    ],
    [
      'the embedded service',
      15,
      'to apply it to the embedded service, add --local',
      ({ forge }) => forge(({ target }) => ({ target: { ...target, url: 'embedded service' } })),
    ],
    [
      'another API key',
      15,
      'the plan is for another API key',
      ({ forge }) => forge(({ target }) => ({ target: { ...target, apiKey: 'other' } })),
    ],
    [
      'an old plan',
      15,
      'older than 24 hours',
      ({ forge }) => forge(() => ({ createdAt: new Date(Date.now() - 9e7).toISOString() })),
    ],
  ])('sends nothing for %s', async (_, code, reason, change) => {
    const user = await createImportUser();
    await change(user);
    const run = await user.apply();
    expect([run.code, run.stderr]).toEqual([code, expect.stringContaining(reason)]);
    expect(user.requests).toEqual([]);
    expect((await user.svc(['jobs', 'list', '-o', 'json'])).stdout).toBe('[]\n');
  });

  it('is applied again if nothing was sent', async () => {
    const user = await createImportUser();
    user.control.intercept = () => ({ status: 'PERMISSION_DENIED', message: 'no' });
    expect(await user.apply()).toMatchObject({ code: 4 });
    user.control.intercept = () => undefined;
    expect(await user.apply()).toMatchObject({ code: 0 });
  });

  it('reads stdin, several files, and rejects records like the command itself', async () => {
    const user = await createImportUser();
    const { home, svc } = user;
    await writeFile(join(home, 'more.ndjson'), '{"userId":"u5"}\n');
    const several = [
      'users',
      'add',
      '--org',
      'acme',
      '--file',
      'users.csv',
      '--file',
      'more.ndjson',
    ];
    expect(await svc([...several, '--out', 'several.json'])).toMatchObject({ code: 0 });
    expect(await svc(['apply', 'several.json', '--yes'])).toMatchObject({ code: 0 });
    expect(user.writes().flatMap(({ data }) => data.users)).toHaveLength(4);
    await writeFile(join(home, 'bad.csv'), 'userId,email\nu1,x\n,y\n');
    const bad = await svc([
      'users',
      'add',
      '--org',
      'acme',
      '--file',
      'bad.csv',
      '--out',
      'b.json',
    ]);
    expect(bad.code, bad.stderr).toBe(3);
    expect(await readdir(home)).not.toContain('b.json');
  });
});

/** Returns the paths of secrets in the input of an operation. */
const secretsOf = ({ flags }: OperationEntry) =>
  flags.filter(({ kind }) => kind === 'secret').map(({ path }) => path);

describe('--out', () => {
  it('saves every write, and apply sends the request that the command sends', SLOW, async () => {
    const { svc, env: home } = await newUserInProcess();
    const { env, received } = await startMockService(() => success({}));
    const calls = await createValidCalls(await startTestService());
    const run = (words: readonly string[]) => svc(words, { env: { ...home, ...env } });
    // A job also reads what it will replace.
    const take = () =>
      received
        .splice(0)
        .filter(({ path }) => !path.endsWith('/get'))
        .map(({ path, body }) => ({ path, body }));
    const saved: string[] = [];
    for (const entry of manifest.filter(canSaveWrite)) {
      const data = calls[entry.name];
      const words = [...wordsOf(entry), '--data', JSON.stringify(data)];
      const hasSecret = secretsOf(entry).some((path) => valueAt(data, path) !== undefined);
      const planned = await run([...words, '--out', `${entry.name}.json`]);
      expect([entry.name, planned.code], planned.stderr).toEqual([entry.name, hasSecret ? 2 : 0]);
      expect([entry.name, take()]).toEqual([entry.name, []]);
      if (hasSecret) continue;
      await run([...words, '--yes']);
      const direct = take();
      await run(['apply', `${entry.name}.json`, '--yes']);
      expect([entry.name, take()]).toEqual([entry.name, direct]);
      saved.push(entry.name);
    }
    expect(saved.length).toBeGreaterThan(15);
  });

  it('sends the record of flags, and refuses what cannot be combined with it', async () => {
    const user = await createApplyUser();
    const { svc } = user;
    const words = ['users', 'add', '--org', 'acme', '--user', 'u1', '--out', 'plan.json'];
    expect(await svc([...words, '--dry-run'])).toMatchObject({ code: 2 });
    expect(await svc([...words, '--results', 'r.ndjson'])).toMatchObject({ code: 2 });
    expect(await svc(words)).toMatchObject({ code: 0 });
    const { code, stdout } = await svc(['apply', 'plan.json', '--yes']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Added user u1 to acme')]);
    expect(user.writes().map(({ data }) => data.users)).toEqual([[{ userId: 'u1' }]]);
  });
});

async function createApprovalUser() {
  const user = await createImportUser();
  const { home, svc, env } = user;
  const ada = createKey(home, 'ada');
  await writeFile(join(home, 'signers'), `ada@example.com ${ada.publicKey}\n`);
  await writeFile(join(home, 'token.txt'), env.SVC_AUTH_TOKEN);
  const address = ['--base-url', env.SVC_BASE_URL, '--api-key', env.SVC_API_KEY];
  const secret = ['--auth-token-file', 'token.txt', '--insecure-storage', '--no-verify'];
  const rule = ['--approvals', '1', '--signers', 'signers'];
  const add = ['profiles', 'add', 'prod', ...address, ...secret, ...rule];
  expect(await svc(add)).toMatchObject({ code: 0 });
  expect((await svc(SAVE)).stdout).toContain('approve: svc approve plan.json');
  const approve = async () => {
    const plan = await user.readPlan();
    const statement = formatStatement(plan, new Date().toISOString());
    const approval = statement + signText(ada.path, statement, 'svc-plan');
    await writeFile(join(home, 'plan.json.ada.approval'), approval);
  };
  return { ...user, ada, approve };
}

describe.skipIf(!hasSshKeygen)('a saved import for a profile that demands approvals', () => {
  it('is approved on a terminal, and applied once', async () => {
    const user = await createApprovalUser();
    const { home, ada, env, svc } = user;
    const refused = await user.apply();
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('has 0 of 1')]);
    const dialogue = startDialogueInProcess(
      ['approve', join(home, 'plan.json'), '--key', ada.path],
      { ...env, HOME: home, PATH: String(process.env['PATH']) },
    );
    const { host } = new URL(env.SVC_BASE_URL);
    await dialogue.shows('3 users from users.csv');
    await dialogue.answer(`Type ${host} to approve`, `${host}\r`);
    expect(await dialogue.ended, dialogue.text()).toBe(0);
    const applied = await svc(['apply', 'plan.json', '--yes', '-o', 'json']);
    expect(applied.code, applied.stderr).toBe(0);
    const { job } = JSON.parse(applied.stdout);
    expect((await svc(['jobs', 'show', job])).stdout).toMatch(/approved by +ada@example\.com/);
    const state = { XDG_STATE_HOME: join(home, 'other') };
    expect(await svc(['apply', 'plan.json', '--yes'], state)).toMatchObject({ code: 15 });
    expect(user.writes()).toHaveLength(1);
  });

  it('resumes with the approvals of its plan, and only what the plan contains', async () => {
    const user = await createApprovalUser();
    const { svc, control, state } = user;
    await user.approve();
    control.intercept = () => ({ status: 'RESOURCE_EXHAUSTED', message: 'later' });
    const stopped = await svc(['apply', 'plan.json', '--yes', '--no-wait']);
    control.intercept = () => undefined;
    expect(stopped.code, stopped.stderr).toBe(11);
    const [{ id }] = JSON.parse((await svc(['jobs', 'list', '-o', 'json'])).stdout);
    const edit = async (organizationId: string) => {
      const journal = await Journal.open(join(state, 'jobs', id, 'journal.sqlite'));
      const description = journal.getFact('job');
      if (!description) throw new TypeError('no job');
      journal.setFact('job', { ...description, data: { organizationId } });
      journal.flush('durable');
      journal.close();
    };
    const sent = user.writes().length;
    await edit('beta');
    const differs = await svc(['jobs', 'resume', id]);
    expect([differs.code, differs.stderr]).toEqual([
      3,
      expect.stringContaining('differs from the plan that started it; nothing was sent'),
    ]);
    expect(user.writes()).toHaveLength(sent);
    await edit('acme');
    expect(await svc(['jobs', 'resume', id])).toMatchObject({ code: 0 });
    const last = user.writes().at(-1);
    expect([last?.data.organizationId, last?.data.users.length]).toEqual(['acme', 3]);
  });

  it('is named by the refusal of a write, with the flags of the command', async () => {
    const { svc } = await createApprovalUser();
    const { code, stderr } = await svc(['users', 'add', '--org', 'acme', '--user', 'u9', '-y']);
    const command = 'users add --org acme --user u9 --out plan.json';
    expect([code, stderr]).toEqual([4, expect.stringContaining(`run svc ${command};`)]);
    expect(await svc(command.split(' '))).toMatchObject({ code: 0 });
  });
});
