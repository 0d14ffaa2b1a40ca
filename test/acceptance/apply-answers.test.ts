import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startTestService } from '../service/test-service.ts';
import { newUserInProcess } from './in-process.ts';
import { failure, startMockService } from './mock-service.ts';

type Counts = readonly [succeeded: number, failed: number, unknown: number, notSent: number];

interface Row {
  /** Answers a request, or returns undefined to let the service answer. */
  readonly answer: (response: ServerResponse) => { status: number; body: unknown } | undefined;
  /** Exit code of a command whose reads are answered so. */
  readonly read: number;
  /** Exit code and counts of the first of two writes, and of the last one. */
  readonly first: readonly [number, Counts | undefined];
  readonly last: readonly [number, Counts];
}

const UNKNOWN = { first: [9, [0, 0, 4, 0]], last: [9, [1, 0, 3, 0]] } as const;
const ROWS: Readonly<Record<string, Row>> = {
  'a refusal': {
    answer: () => failure(403, 'PERMISSION_DENIED', 'Not in your plan.'),
    read: 4,
    first: [10, [0, 4, 0, 0]],
    last: [10, [1, 3, 0, 0]],
  },
  'a long maintenance': {
    answer: (response) => {
      response.setHeader('retry-after', '120');
      return failure(503, 'UNAVAILABLE', 'Down for maintenance.');
    },
    read: 7,
    first: [7, undefined],
    last: [11, [1, 0, 0, 3]],
  },
  'a page instead of JSON': {
    answer: (response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
      return undefined;
    },
    read: 8,
    ...UNKNOWN,
  },
  'a closed connection': {
    answer: (response) => {
      response.socket?.destroy();
      return undefined;
    },
    read: 8,
    ...UNKNOWN,
  },
};

const settings = (version: number) => `svc: 1
organizations: [{ organizationId: acme, organizationName: Acme ${version} }]
folders:
${['a', 'b', 'c'].map((id) => `  - { organizationId: acme, folderId: ${id}, folderName: Folder ${version} }\n`).join('')}`;

/** A user with a service whose responses to requests of some paths are replaced. */
async function setUp() {
  const service = await startTestService();
  const user = await newUserInProcess();
  const control: { paths: RegExp; answer: Row['answer'] | undefined } = {
    paths: /./,
    answer: undefined,
  };
  const { env } = await startMockService(async ({ path, body }, response) => {
    if (control.answer && control.paths.test(path)) return control.answer(response);
    const { http, body: answer } = await service.call(path, body.data);
    return { status: http, body: answer };
  });
  const { apiKey, authToken } = service.credentials;
  const credentials = { ...env, SVC_API_KEY: apiKey, SVC_AUTH_TOKEN: authToken };
  const svc = (...words: readonly string[]) =>
    user.svc([...words, '-o', 'json', '--retry-for', '0s', '--max-wait', '1s'], {
      env: credentials,
    });
  return { control, svc, declare: (text: string) => writeFile(join(user.home, 'svc.yaml'), text) };
}

function countsOf(stdout: string): Counts | undefined {
  if (stdout === '') return undefined;
  const { applied, failed, unknown, skipped } = JSON.parse(stdout);
  return [applied.create + applied.update + applied.send, failed, unknown, skipped];
}

describe.each(Object.entries(ROWS))('%s', (_, { answer, read, first, last }) => {
  it('to svc apply and svc undo', async () => {
    const { control, svc, declare } = await setUp();
    const apply = async (paths: RegExp, ...words: readonly string[]) => {
      Object.assign(control, { paths, answer });
      const { code, stdout } = await svc('apply', '--yes', ...words);
      control.answer = undefined;
      return [code, countsOf(stdout)];
    };
    await declare(settings(1));
    expect(await apply(/\/(add|update)$/)).toEqual(first);
    expect(await apply(/\/get$/)).toEqual([read, undefined]);
    await declare(settings(2));
    expect(await apply(/folders\/add$/)).toEqual(last);

    expect(await svc('apply', '--yes')).toMatchObject({ code: 0 });
    await declare(settings(3));
    expect(await svc('apply', '--yes')).toMatchObject({ code: 0 });
    Object.assign(control, { paths: /\/get$/, answer });
    expect(await svc('undo', '--out', 'undo.json')).toMatchObject({ code: read });
    control.answer = undefined;
    expect(await svc('undo', '--out', 'undo.json')).toMatchObject({ code: 0 });
    const [code, counts] = first;
    const undone = counts?.map((count) => Math.min(count, 3));
    expect(await apply(/\/(add|update)$/, 'undo.json')).toEqual([code, undone]);
    if (code === 7) expect(await svc('apply', 'undo.json', '--yes')).toMatchObject({ code: 0 });
  });
});

it('counts the records of a half-done batch in svc apply, and resumes with the others', async () => {
  const { control, svc, declare } = await setUp();
  const results = {
    a: { success: false, message: 'No room left.' },
    b: { success: true, message: 'Folder added.' },
    c: { success: true, message: 'Folder added.' },
  };
  const half = { result: { status: 'success', message: 'Done.', data: results } };
  await declare(settings(1));
  Object.assign(control, { paths: /folders\/add$/, answer: () => ({ status: 200, body: half }) });
  const { code, stdout } = await svc('apply', '--yes');
  expect([code, countsOf(stdout)]).toEqual([10, [1, 3, 0, 0]]);
  expect(JSON.parse(stdout).failures).toMatchObject([
    { id: 'a', message: 'No room left.' },
    { id: 'b', code: 'differs' },
    { id: 'c', code: 'differs' },
  ]);
  control.answer = undefined;
  const resumed = await svc('jobs', 'resume');
  expect([resumed.code, countsOf(resumed.stdout)]).toEqual([0, [3, 0, 0, 0]]);
});

it('counts a kind that svc undo could not read as failed, with the reason', async () => {
  const { control, svc, declare } = await setUp();
  for (const version of [1, 2]) {
    const config = `config: { email: { emailServiceConfig: { fromCompany: Acme ${version} } } }`;
    await declare(`${settings(version)}${config}\n`);
    expect(await svc('apply', '--yes')).toMatchObject({ code: 0 });
  }
  const answer = () => failure(403, 'PERMISSION_DENIED', 'Not in your plan.');
  Object.assign(control, { paths: /emailconfig\/get$/, answer });
  const planned = await svc('undo', '--out', 'undo.json');
  expect(JSON.parse(planned.stdout).changes).toContainEqual(
    expect.objectContaining({ sign: '?', id: 'email', reason: 'Not in your plan.' }),
  );
  const applied = await svc('apply', 'undo.json', '--yes');
  expect([applied.code, countsOf(applied.stdout)]).toEqual([10, [3, 1, 0, 0]]);
});
