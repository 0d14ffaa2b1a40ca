import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { startServing } from './serving.ts';

const USERS = Array.from({ length: 60 }, (_, at) => ({ userId: `u${at}`, name: `User ${at}` }));

/**
 * Starts `svc serve` with rules in a file, and returns functions that work on it and on its store.
 */
async function serveWithFaults(rules: object) {
  const user = await newUserInProcess();
  await writeFile(join(user.home, 'rules.yaml'), JSON.stringify(rules));
  await writeFile(join(user.home, 'users.json'), JSON.stringify(USERS));
  const server = await startServing(user, '--faults', 'rules.yaml');
  const svc = (...words: string[]) => user.svc(words, { env: server.env });
  const local = async (...words: string[]) => {
    const run = await user.svc(['local', ...words]);
    expect(run.code, run.stderr).toBe(0);
    return run.stdout;
  };
  return {
    user,
    server,
    svc,
    local,
    addUsers: async (...flags: string[]) => {
      const words = [
        'users',
        'add',
        '--org',
        'acme',
        '--file',
        'users.json',
        '--batch-size',
        '6',
        '--concurrency',
        '1',
      ];
      const { code, stdout, stderr } = await svc(...words, '-o', 'json', ...flags);
      return { code, summary: JSON.parse(stdout || '{}'), stderr };
    },
    storedUsers: async () => JSON.parse(await local('export')).users?.length ?? 0,
    requests: async () =>
      JSON.parse(await local('requests', 'list', '--limit', '1000', '-o', 'json')),
  };
}

describe('a bulk import during faults', () => {
  it.each([
    ['a share of errors', { share: 0.3, status: 'UNAVAILABLE' }],
    ['lost requests', { every: 3, drop: 'before' }],
    ['lost responses', { every: 3, drop: 'after' }],
    ['interrupted responses', { every: 2, cut: 0.5 }],
  ])('loses nothing: %s', SLOW, async (_, effect) => {
    const { addUsers, storedUsers, requests } = await serveWithFaults({
      seed: 3,
      faults: [{ name: 'f', on: 'users.add', ...effect }],
    });
    const { code, summary, stderr } = await addUsers();
    expect(code, stderr).toBe(0);
    expect(summary).toMatchObject({ total: 60, succeeded: 60, failed: 0, unknown: 0, skipped: 0 });
    expect(summary.retries).toBeGreaterThan(0);
    expect(await storedUsers()).toBe(60);
    const log: { operation: string; fault: string | null }[] = await eventually(async () => {
      const logged = await requests();
      expect(logged.length).toBeGreaterThanOrEqual(summary.requests);
      return logged;
    });
    expect(log.filter(({ fault }) => fault === 'f').length).toBe(log.length - 10);
  });

  it('reports the records that fail, and the rejects file adds them afterwards', SLOW, async () => {
    const { user, addUsers, storedUsers, local } = await serveWithFaults({
      faults: [{ on: 'users.add', items: 0.5 }],
    });
    const { code, summary } = await addUsers('--rejects', 'rejects.json');
    expect(code).toBe(10);
    expect(summary).toMatchObject({ total: 60, succeeded: 30, failed: 30, unknown: 0 });
    expect(summary.failures[0]).toMatchObject({ message: "Fault 'fault-1'.", code: 'fault' });
    expect(await storedUsers()).toBe(30);
    await local('faults', 'clear');
    await writeFile(join(user.home, 'users.json'), await readFile(join(user.home, 'rejects.json')));
    expect(await addUsers()).toMatchObject({ code: 0, summary: { total: 30, succeeded: 30 } });
    expect(await storedUsers()).toBe(60);
  });

  it(
    'is stopped by an error that retries do not help against, and can be resumed',
    SLOW,
    async () => {
      const { svc, addUsers, storedUsers, local } = await serveWithFaults({
        faults: [{ on: 'users.add', nth: 2, status: 'PERMISSION_DENIED' }],
      });
      const { code, stderr } = await addUsers();
      expect(code, stderr).toBe(11);
      expect(await storedUsers()).toBe(6);
      await local('faults', 'clear');
      const resumed = await svc('jobs', 'resume');
      expect(resumed.code, resumed.stderr).toBe(0);
      expect(await storedUsers()).toBe(60);
    },
  );
});

describe('svc serve with faults', () => {
  it(
    'exits with the codes of the contract, and repeats only what is safe to repeat',
    SLOW,
    async () => {
      const { svc, local, requests } = await serveWithFaults({ faults: [] });
      const add = (rule: object) => local('faults', 'add', JSON.stringify(rule));
      const statuses = {
        PERMISSION_DENIED: 4,
        NOT_FOUND: 5,
        FAILED_PRECONDITION: 6,
        INVALID_ARGUMENT: 3,
        ALREADY_EXISTS: 3,
      };
      for (const [status, code] of Object.entries(statuses)) {
        await add({ on: 'documents.list', status });
        expect({ status, code: (await svc('documents', 'list', '--org', 'acme')).code }).toEqual({
          status,
          code,
        });
        await local('faults', 'clear');
      }
      await add({ on: 'workspace.create', drop: 'after' });
      const create = [
        'workspace',
        'create',
        '--owner-email',
        'ada@example.com',
        '--workspace-name',
        'Acme',
      ];
      const lost = await svc(...create, '--no-input', '--yes');
      expect(lost.code, lost.stderr).toBe(9);
      await local('faults', 'clear');
      const log: { operation: string; fault: string | null }[] = await eventually(async () => {
        const logged = await requests();
        expect(
          logged.some(({ operation }: { operation: string }) => operation === 'workspace.create'),
        ).toBe(true);
        return logged;
      });
      expect(log.filter(({ operation }) => operation === 'workspace.create')).toHaveLength(1);
      await add({ on: 'documents.list', drop: 'before', times: 1 });
      expect((await svc('documents', 'list', '--org', 'acme')).code).toBe(0);
    },
  );

  it(
    'rejects a file with a mistake, with its position, and keeps the rules of the store',
    SLOW,
    async () => {
      const user = await newUserInProcess();
      const rules = [
        'seed: 1',
        'faults:',
        '  - on: users.add',
        '    share: 0.5',
        '    status: UNAVAILABL',
        '',
      ].join('\n');
      await writeFile(join(user.home, 'rules.yaml'), rules);
      expect(await user.svc(['serve', '--port', '0', '--faults', 'rules.yaml'])).toMatchObject({
        code: 3,
        stdout: '',
        stderr:
          "svc: rules.yaml:5:13: faults[0].status: unknown status 'UNAVAILABL'; did you mean 'UNAVAILABLE'?\n",
      });
      expect(await user.svc(['serve', '--faults', 'rule.yaml'])).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/did you mean 'rules.yaml'/),
      });
      await user.svc(['local', 'faults', 'add', '{"on":"*","status":"INTERNAL"}']);
      for (const [rule, problem] of [
        [
          '{"on":"users.add","shre":0.2,"status":"INTERNAL"}',
          "rule:1:19: shre: unknown field; did you mean 'share'?",
        ],
        [
          '{"on":"users.add","share":1.2,"status":"INTERNAL"}',
          'rule:1:27: share: expected at most 1, got 1.2',
        ],
        [
          '{"on":"user.add","status":"INTERNAL"}',
          "rule:1:7: on: unknown operation 'user.add'; did you mean 'users.add'?",
        ],
        [
          '{"on":"users.add"}',
          'rule:1:1: a rule needs an effect: status, delay, drop, cut, or items',
        ],
        ['{"on":"users.add","delay":{"p50":5}}', 'rule:1:27: delay.p99: is required'],
        ['{"on":"users.add"', /^rule:1:18: /],
        ['[]', /^rule:1:1: expected an object, got a list/],
      ] as const) {
        const { code, stderr } = await user.svc(['local', 'faults', 'add', rule]);
        expect(code).toBe(3);
        if (typeof problem === 'string') expect(stderr).toBe(`svc: ${problem}\n`);
        else expect(stderr.replace(/^svc: /, '')).toMatch(problem);
      }
      const { stdout } = await user.svc(['local', 'faults', 'list', '-o', 'json']);
      expect(JSON.parse(stdout)).toEqual([{ name: 'fault-1', on: '*', status: 'INTERNAL' }]);
    },
  );

  it('applies the rules of a store to --local', async () => {
    const { svc } = await newUserInProcess();
    await svc(['organizations', 'add', '--local', '--org', 'acme']);
    await svc([
      'local',
      'faults',
      'add',
      '{"on":"documents.list","nth":2,"status":"PERMISSION_DENIED"}',
    ]);
    const codes = [];
    for (let at = 0; at < 3; at += 1)
      codes.push((await svc(['documents', 'list', '--org', 'acme', '--local'])).code);
    expect(codes).toEqual([0, 4, 0]);
    const dropped = '{"on":"workspace.get","drop":"before"}';
    await svc(['local', 'faults', 'add', dropped]);
    expect((await svc(['workspace', 'get', '--local'])).code).toBe(8);
    expect((await svc(['local', 'faults', 'list'])).stdout).toMatch(
      /fault-1 .*nth 2 .*status PERMISSION_DENIED[\s\S]*fault-2 .*always .*drop before/,
    );
    expect((await svc(['local', 'faults', 'clear', '--dry-run'])).stderr).toMatch(
      /nothing was changed/,
    );
    expect(await svc(['local', 'faults', 'clear'])).toMatchObject({
      code: 0,
      stderr: 'Removed 2 fault rules\n',
    });
  });
});

describe('svc local requests', () => {
  it('lists, shows, waits for, and follows the requests of svc serve', async () => {
    const { user, svc, local, server } = await serveWithFaults({
      faults: [{ name: 'lost', on: 'users.add', nth: 1, drop: 'after' }],
    });
    const tail = user.start(['local', 'requests', 'tail', '-o', 'ndjson']);
    const waiting = user.start([
      'local',
      'requests',
      'wait',
      '--on',
      'users.add',
      '--count',
      '2',
      '-o',
      'json',
    ]);
    // Requests that end before the start of a command do not count.
    const following = eventually(async () => {
      expect((await svc('users', 'add', '--org', 'acme', '--user', 'u1')).code).toBe(0);
      const done = await Promise.race([
        waiting.ended,
        new Promise((resolve) => setTimeout(resolve, 500)),
      ]);
      expect(done).toBeDefined();
    }, 100);
    const waited = await waiting.ended;
    await following;
    expect(waited).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(waited.stdout)).toMatchObject([
      { operation: 'users.add' },
      { operation: 'users.add' },
    ]);
    const [first] = JSON.parse(await local('requests', 'show', '1'));
    expect(first).toMatchObject({
      id: 1,
      operation: 'users.add',
      org: 'acme',
      status: null,
      fault: 'lost',
      request: { data: { users: [{ userId: 'u1' }] } },
      response: { result: { data: { u1: { success: true } } } },
    });
    expect(await local('requests', 'list')).toMatch(
      /ID +TIME +OPERATION[\s\S]*1 .* users add +acme .* lost\n/,
    );
    await local('requests', 'list', '--har', 'requests.har');
    const har = JSON.parse(await readFile(join(user.home, 'requests.har'), 'utf8'));
    expect(har.log.entries[0].comment).toBe('request 1, users.add, org acme, fault lost');
    const secret = server.env.SVC_AUTH_TOKEN;
    expect(
      await readFile(join(user.home, '.local/share/svc/service.sqlite.requests'), 'latin1'),
    ).not.toContain(secret);
    tail.kill('SIGTERM');
    const followed = (await tail.ended).stdout.trim().split('\n').filter(Boolean);
    for (const line of followed)
      expect(JSON.parse(line)).toMatchObject({ method: 'POST', operation: 'users.add' });
    expect(followed.length).toBeGreaterThan(0);
  });

  it('exits with 8 if there are not enough requests in time, and rejects unknown operations and IDs', async () => {
    const { svc } = await newUserInProcess();
    const wait = [
      'local',
      'requests',
      'wait',
      '--on',
      'users.add',
      '--count',
      '3',
      '--timeout',
      '100ms',
    ];
    expect(await svc(wait)).toMatchObject({
      code: 8,
      stderr: 'svc: expected 3 users.add requests within 0.1 s, got 0\n',
    });
    expect(await svc(['local', 'requests', 'list', '--on', 'users.ad'])).toMatchObject({ code: 2 });
    expect(await svc(['local', 'requests', 'show', '7'])).toMatchObject({ code: 5 });
    expect(await svc(['local', 'requests', 'list', '-o', 'json'])).toMatchObject({
      code: 0,
      stdout: '[]\n',
    });
  });
});
