import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hasPython } from '../python.ts';
import { SLOW } from '../slow.ts';
import { newSecret } from '../webhooks/listener-fixture.ts';
import { opensslKeys } from '../webhooks/openssl.ts';
import { newUserInProcess } from './in-process.ts';
import { HOME, newUser, type User } from './svc.ts';

const RECEIVERS = join(HOME, 'examples', 'receivers');
const keys = opensslKeys();

/** Writes a secret, a token, and a key to files of a user. */
async function prepareUser(created = newUserInProcess()): Promise<User> {
  const user = await created;
  const files = {
    secret: newSecret(),
    token: randomBytes(16).toString('hex'),
    'private.pem': keys.privateKeys.pkcs8,
    'public.pem': keys.publicKeys.spki,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(user.home, name), text);
  return user;
}

const RECEIVER_FILES = {
  advanced: { SECRET_FILE: 'secret' },
  basic: { AUTH_TOKEN_FILE: 'token' },
} as const;
const TEST_FLAGS = {
  advanced: ['--secret-file', 'secret'],
  basic: ['--auth-token-file', 'token'],
} as const;
type Form = keyof typeof TEST_FLAGS;

/** Starts an example receiver on a free port. It ends with the test. */
async function startReceiver(user: User, form: Form, program: readonly [string, string], env = {}) {
  const [command, file] = program;
  const settings = {
    PORT: '0',
    EFFECTS: '1',
    PRIVATE_KEY_FILE: 'private.pem',
    ...RECEIVER_FILES[form],
    ...env,
  };
  const child = spawn(command, [join(RECEIVERS, file)], {
    cwd: user.home,
    env: { ...user.env, ...settings },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stderr.resume();
  const [line] = await once(createInterface(child.stdout), 'line');
  const end = async () => {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  return { ...findUrls(line), end };
}

function findUrls(line: string) {
  const url = new URL(/http[^\s"]+/.exec(line)?.[0] ?? '');
  return { url: url.href, effects: new URL('/effects', url).href };
}

interface Grade {
  readonly case: string;
  readonly verdict: string;
  readonly did: string;
  readonly why: string;
  readonly fix: string;
}

async function gradeReceiver(user: User, form: Form, words: readonly string[]) {
  const [flag, file] = TEST_FLAGS[form];
  const run = await user.svc([
    'webhooks',
    'test',
    ...words,
    flag,
    join(user.home, file),
    '-o',
    'json',
  ]);
  return { ...run, grades: JSON.parse(run.stdout) as readonly Grade[] };
}

const casesWithVerdict = (grades: readonly Grade[], wanted: string) =>
  grades.filter(({ verdict }) => verdict === wanted).map((grade) => grade.case);

const NODE = [process.execPath, 'good.mjs'] as const;
const PYTHON = ['python3', 'good.py'] as const;

describe('svc webhooks test', () => {
  it.each([
    ['advanced', newUser],
    ['basic', newUserInProcess],
  ] as const)('passes the good receiver in Node: %s', SLOW, async (form, createUser) => {
    const user = await prepareUser(createUser());
    const { url, effects } = await startReceiver(user, form, NODE);
    const words = [url, '--effects-url', effects, '--encrypt-for', 'public.pem'];
    const { code, stderr, grades } = await gradeReceiver(user, form, words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(grades.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
    expect(grades.length).toBe(form === 'advanced' ? 18 : 13);
  });

  it.skipIf(!hasPython).each(['advanced', 'basic'] as const)(
    'passes the good receiver in Python: %s',
    SLOW,
    async (form) => {
      const user = await prepareUser();
      const { url, effects } = await startReceiver(user, form, PYTHON);
      const { code, grades } = await gradeReceiver(user, form, [url, '--effects-url', effects]);
      expect(code, JSON.stringify(grades, null, 2)).toBe(0);
      expect(casesWithVerdict(grades, 'skipped')).toEqual(['encrypted']);
    },
  );

  it('prints actual and expected behavior, and exits with 10', async () => {
    const user = await prepareUser();
    const { url } = await startReceiver(user, 'advanced', [process.execPath, 'faulty.mjs'], {
      FAULT: 'ignores-timestamp',
    });
    const words = [
      '--secret-file',
      join(user.home, 'secret'),
      '--only',
      'stale',
      '--only',
      'valid',
      '--only',
      'duplicate',
    ];
    const { code, stdout, stderr } = await user.svc(['webhooks', 'test', url, ...words]);
    expect(code).toBe(10);
    expect(stdout).toMatch(/^ +CASE +EXPECTED +ACTUAL\nok +valid +2xx +200 \(\d+ ms\)\n/);
    expect(stdout).toMatch(
      /^fail +stale +401, 403 or 400 +200 \(\d+ ms\)\n +an attacker can replay a captured delivery later; reject a webhook-timestamp that is more than 5 minutes old\n/m,
    );
    expect(stderr).toMatch(/^to check whether duplicates are applied twice, add --effects-url\n/);
    expect(stderr).toContain('\nsvc: 1 of 3 cases failed: stale\n');
  });

  it('exits with 8 without a receiver, and mentions a wrong secret', async () => {
    const user = await prepareUser();
    const { url, end } = await startReceiver(user, 'advanced', NODE);
    const secret = join(user.home, 'secret');
    await writeFile(secret, newSecret());
    const other = await user.svc([
      'webhooks',
      'test',
      url,
      '--secret-file',
      secret,
      '--only',
      'valid',
    ]);
    expect(other).toMatchObject({
      code: 10,
      stderr: expect.stringContaining('the receiver has the same secret or token'),
    });
    await end();
    const gone = await user.svc(['webhooks', 'test', url, '--secret-file', secret]);
    expect(gone).toMatchObject({ code: 8, stdout: '' });
    expect(gone.stderr).toMatch(
      /^svc: http[^\s"]+: connection refused\nhint: check that the receiver is running at this URL\n$/,
    );
  });
});

it('knows its cases by name', async () => {
  const user = await newUserInProcess();
  const { code, stderr } = await user.svc([
    'webhooks',
    'test',
    'http://127.0.0.1:1/',
    '--only',
    'dublicate',
  ]);
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^svc: --only must be one of valid, .*, got 'dublicate'\nhint: did you mean 'duplicate'\?\n$/,
  );
});

/** The cases that detect each fault. */
const FOUND_BY: Readonly<Record<string, readonly string[]>> = {
  'accepts-any-signature': ['wrong-signature', 'changed-body'],
  'accepts-unsigned': ['unsigned'],
  'accepts-any-token': ['wrong-token'],
  'verifies-what-it-parsed': ['raw-body'],
  'knows-one-signature': ['rotated-secret'],
  'ignores-timestamp': ['stale', 'future'],
  'believes-the-future': ['future'],
  'joins-chunks-as-text': ['slow'],
  'crashes-on-encoded': ['encoded'],
  'does-not-decode': ['encoded'],
  'refuses-encrypted': ['encrypted'],
  'refuses-duplicates': ['duplicate'],
  'applies-duplicates': ['duplicate'],
  'wants-order': ['out-of-order'],
  'refuses-unknown-events': ['unknown-event'],
  'hangs-on-cut': ['cut'],
  'takes-cut': ['cut'],
  'takes-any-length': ['large'],
  'crashes-on-long': ['large'],
  'takes-any-method': ['get'],
};

describe('svc webhooks test detects', () => {
  it('all known faults', () => {
    const { stderr } = spawnSync(process.execPath, [join(RECEIVERS, 'faulty.mjs')], {
      encoding: 'utf8',
    });
    expect(stderr).toBe(`FAULT is one of: ${Object.keys(FOUND_BY).join(', ')}\n`);
  });

  it('each fault of the faulty receiver with its own case only', SLOW, async () => {
    const user = await prepareUser();
    const found: Record<string, readonly string[]> = {};
    const left = Object.keys(FOUND_BY);
    const work = async () => {
      for (let fault = left.shift(); fault !== undefined; fault = left.shift()) {
        const form = fault === 'accepts-any-token' ? 'basic' : 'advanced';
        const { url, effects } = await startReceiver(user, form, [process.execPath, 'faulty.mjs'], {
          FAULT: fault,
        });
        const words = [
          url,
          '--effects-url',
          effects,
          '--encrypt-for',
          join(user.home, 'public.pem'),
          '--timeout',
          '8s',
        ];
        let { code, grades } = await gradeReceiver(user, form, words);
        // On a busy machine, the receiver may get all chunks of a body at once.
        for (let again = 0; code === 0 && again < 5; again += 1) {
          ({ code, grades } = await gradeReceiver(user, form, words));
        }
        expect(code, fault).toBe(10);
        for (const { verdict, why, fix } of grades)
          if (verdict === 'fail') expect(fix, why).toMatch(/^[a-z].{20}/);
        found[fault] = casesWithVerdict(grades, 'fail');
      }
    };
    await Promise.all(Array.from({ length: 4 }, work));
    expect(found).toEqual(FOUND_BY);
  });
});
