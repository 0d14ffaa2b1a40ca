import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';

const LOST_FOLDERS = 'the list does not name the folders of its documents';

it.each([
  ['documents', 'json', 'read-only fields are not sent: disabled, accessType'],
  ['documents', 'csv', 'read-only fields are not sent: accessType, disabled'],
  [
    'folders',
    'yaml',
    'read-only fields are not sent: createdAt, lastUpdated, apiKey, ancestors, inheritAccessFromParent',
  ],
  [
    'folders',
    'ndjson',
    'read-only fields are not sent: createdAt, lastUpdated, apiKey, ancestors, inheritAccessFromParent',
  ],
])('a list of %s as %s can be added again', async (noun, format, note) => {
  const { svc, home } = await newUserInProcess();
  const here = ['--local', '--org', 'acme'];
  const flags =
    noun === 'folders' ? ['--folder', 'x1', '--create-organization'] : ['--document', 'x1'];
  expect((await svc([noun, 'add', ...here, ...flags, '--name', 'Plans'])).code).toBe(0);
  const { stdout } = await svc([noun, 'list', ...here, '-o', format]);
  await writeFile(join(home, `list.${format}`), stdout);
  const again = await svc([
    noun,
    'add',
    ...here,
    '--file',
    `list.${format}`,
    '--if-exists',
    'skip',
  ]);
  const skipped = `Skipped ${noun.slice(0, -1)} x1: it already exists in acme\n`;
  expect([again.code, again.stdout]).toEqual([0, skipped]);
  const lost = noun === 'documents' ? [expect.stringContaining(LOST_FOLDERS)] : [];
  expect(again.stderr.split('\n')).toEqual([...lost, note, '']);
});

it('a list of documents is added to folders without a warning if they are known', async () => {
  const { svc, home } = await newUserInProcess();
  const here = ['--local', '--org', 'acme'];
  await svc(['folders', 'add', ...here, '--folder', 'f1', '--create-organization']);
  await svc(['documents', 'add', ...here, '--folder', 'f1', '--document', 'd1']);
  const files = {
    'list.csv': (await svc(['documents', 'list', ...here, '-o', 'csv'])).stdout,
    'stored.csv': (await svc(['local', 'list', 'documents', '-o', 'csv'])).stdout,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text);
  const add = ['documents', 'add', ...here, '--dry-run', '--file'];
  for (const [words, warns] of [
    [[...add, 'list.csv'], true],
    [[...add, 'list.csv', '--folder', 'f1'], false],
    [[...add, 'stored.csv'], false],
  ] as const) {
    const { code, stderr } = await svc(words);
    expect([words, code, stderr.includes(LOST_FOLDERS)]).toEqual([words, 0, warns]);
  }
});

describe('what a list command prints', () => {
  const forms = [
    ...['json', 'ndjson', 'csv', 'yaml'].flatMap((format) => [
      ['-o', format],
      ['-o', format, '--envelope'],
    ]),
    ['--jq', '.[]'],
  ];

  it.each(['folders', 'documents'])('is input of %s add, from a pipe', async (noun) => {
    const { svc, home } = await newUserInProcess();
    const here = ['--local', '--org', 'acme'];
    const files = {
      folders: '[{"folderId":"b"},{"folderId":"a","parentFolderId":"b","folderName":"=1"}]',
      documents: '[{"documentId":"a"},{"documentId":"b","documentName":"A, \\"B\\""}]',
    };
    await writeFile(join(home, 'first.json'), files[noun as keyof typeof files]);
    const add = ['add', ...here, '-o', 'json'];
    const first = await svc([noun, ...add, '--file', 'first.json', '--create-organization']);
    expect([first.code, first.stderr]).toEqual([0, expect.any(String)]);
    // A parent is listed after its child.
    if (noun === 'folders') {
      await svc(['folders', 'add', ...here, '--folder', 'z']);
      await svc(['folders', 'update', ...here, '--folder', 'b', '--parent', 'z']);
    }
    for (const form of forms) {
      const { stdout } = await svc([noun, 'list', ...here, ...form]);
      const again = await svc([noun, ...add, '--file', '-', '--if-exists', 'skip'], {
        stdin: stdout,
      });
      const { total, existing } = JSON.parse(again.stdout);
      const count = noun === 'folders' ? 3 : 2;
      expect([form, again.code, total, existing]).toEqual([form, 0, count, count]);
      const updated =
        noun === 'folders'
          ? await svc(['folders', 'update', ...here, '--file', '-'], { stdin: stdout })
          : { code: 0 };
      expect([form, updated.code]).toEqual([form, 0]);
    }
  });
});

describe('records that already exist', () => {
  it('let the same command run twice, and stay as they are with --if-exists skip', async () => {
    const { svc, home } = await newUserInProcess();
    const documents = [1, 2, 3].map((at) => ({ documentId: `d${at}`, documentName: `Plan ${at}` }));
    await writeFile(join(home, 'documents.json'), JSON.stringify(documents));
    const add = (...words: readonly string[]) => svc([...words, '--local', '-o', 'json']);
    const commands = [
      ['organizations', 'add', '--org', 'acme', '--name', 'Acme', '--if-exists', 'skip'],
      ['groups', 'add', '--org', 'acme', '--group', 'sales', '--if-exists', 'skip'],
      ['documents', 'add', '--org', 'acme', '--file', 'documents.json', '--if-exists', 'skip'],
    ];
    for (const command of commands) {
      const [first, second] = [await add(...command), await add(...command)].map(
        ({ code, stdout }) => ({
          code,
          ...JSON.parse(stdout),
        }),
      );
      const { total } = first;
      const zero = { failed: 0, unknown: 0, updated: 0, unchanged: 0 };
      expect(first).toMatchObject({
        code: 0,
        succeeded: total,
        skipped: 0,
        created: total,
        existing: 0,
        ...zero,
      });
      expect(second).toMatchObject({
        code: 0,
        succeeded: 0,
        skipped: total,
        created: 0,
        existing: total,
        ...zero,
      });
    }
    const text = await svc([
      'documents',
      'add',
      '--org',
      'acme',
      '--file',
      'documents.json',
      '--if-exists',
      'skip',
      '--local',
    ]);
    expect(text.stdout).toMatch(/^3 documents: 0 created, 3 skipped \(1 request, /);
  });

  it('are skipped in each organization that the records name', async () => {
    const { svc, home } = await newUserInProcess();
    for (const org of ['acme', 'beta'])
      await svc(['organizations', 'add', '--local', '--org', org]);
    const write = (...rows: readonly string[]) =>
      writeFile(
        join(home, 'documents.csv'),
        `documentId,documentName,organizationId\n${rows.join('\n')}\n`,
      );
    const add = async () => {
      const words = [
        'documents',
        'add',
        '--local',
        '--file',
        'documents.csv',
        '--if-exists',
        'skip',
        '-o',
        'json',
      ];
      const { code, stdout } = await svc(words);
      return { code, ...JSON.parse(stdout) };
    };
    await write('d1,A,acme', 'd1,B,beta', 'd2,C,acme');
    expect(await add()).toMatchObject({ code: 0, succeeded: 3, existing: 0 });
    await write('d1,A,acme', 'd1,B,beta', 'd3,D,acme', 'd2,C,beta', 'd2,C,acme');
    expect(await add()).toMatchObject({
      code: 0,
      succeeded: 2,
      existing: 3,
      organizations: [
        { id: 'acme', total: 3, succeeded: 1, failed: 0 },
        { id: 'beta', total: 2, succeeded: 1, failed: 0 },
      ],
    });
  });

  it('are named in one line if there is only one, with the exit code of the failure', async () => {
    const { svc } = await newUserInProcess();
    const add = (...words: readonly string[]) =>
      svc(['documents', 'add', '--org', 'acme', '--document', 'd1', '--local', ...words]);
    expect(await add()).toMatchObject({ code: 0, stdout: 'Created document d1 in acme\n' });
    expect(await add()).toEqual({
      code: 3,
      stdout: '',
      stderr: [
        'svc: could not add document d1 to acme: Document already exists (ALREADY_EXISTS)',
        'hint: add --if-exists skip to leave existing documents unchanged',
        '',
      ].join('\n'),
    });
    const skip = await add('--if-exists', 'skip');
    expect(skip).toEqual({
      code: 0,
      stdout: 'Skipped document d1: it already exists in acme\n',
      stderr: '',
    });
  });

  it('are updated only if they differ, and --if-exists update is refused where the service has no update', async () => {
    const { svc, home } = await newUserInProcess();
    const write = (name: string, accessType = '') =>
      writeFile(
        join(home, 'folders.csv'),
        `folderId,folderName,accessType\na,${name},${accessType}\nb,B,restricted\n`,
      );
    const add = () =>
      svc([
        'folders',
        'add',
        '--org',
        'acme',
        '--create-organization',
        '--file',
        'folders.csv',
        '--if-exists',
        'update',
        '--local',
      ]);
    await write('A');
    const first = await add();
    expect([first.code, first.stdout]).toEqual([
      0,
      expect.stringMatching(/^2 folders: 2 created \(/),
    ]);
    await write('Other', 'restricted');
    const second = await add();
    expect([second.code, second.stdout]).toEqual([
      0,
      expect.stringMatching(/^2 folders: 0 created, 1 updated, 1 unchanged \(2 requests, /),
    ]);
    expect(second.stderr).toContain(
      'warning: existing folders keep their accessType, because the service cannot update it',
    );
    await write('Other');
    const third = await add();
    expect(third.stderr).toBe('');
    expect(third.stdout).toMatch(/^2 folders: 0 created, 2 unchanged \(/);
    const list = await svc([
      'folders',
      'list',
      '--org',
      'acme',
      '--local',
      '-o',
      'json',
      '--jq',
      'map(.folderName)',
    ]);
    expect(JSON.parse(list.stdout)).toEqual(['Other', 'B']);
    const refused = await svc([
      'documents',
      'add',
      '--org',
      'acme',
      '--document',
      'd1',
      '--if-exists',
      'update',
      '--local',
    ]);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining("must be one of fail, skip, got 'update'"),
    ]);
  });

  it(
    'are counted once, and nothing is lost, when a job is killed repeatedly and resumed',
    SLOW,
    async () => {
      const KILLS = repeats(2);
      const TOTAL = KILLS * 900;
      const earlier = Array.from(
        { length: TOTAL / 3 },
        (_, at) => [`d${at * 3}`, 'of another user'] as const,
      );
      const kept = new Map<string, unknown>(earlier);
      let requests = 0;
      let notify: (() => void) | undefined;
      const { env } = await startMockService(({ path, body: { data } }) => {
        if (path.endsWith('/documents/get')) {
          const ids = data['documentIds'] as readonly string[];
          return success(
            ids.flatMap((id) => (kept.has(id) ? [{ id, documentName: kept.get(id) }] : [])),
          );
        }
        requests += 1;
        if (requests % 9 === 0) notify?.();
        const sent = data['documents'] as readonly { documentId: string; documentName: string }[];
        const results = sent.map(({ documentId, documentName }) => {
          if (kept.has(documentId))
            return [documentId, { success: false, message: 'exists', code: 'already-exists' }];
          kept.set(documentId, documentName);
          return [documentId, { success: true }];
        });
        return success(Object.fromEntries(results));
      });
      const user = await newUserInProcess();
      const lines = Array.from({ length: TOTAL }, (_, at) =>
        JSON.stringify({ documentId: `d${at}`, documentName: `Plan ${at}` }),
      );
      await writeFile(join(user.home, 'documents.ndjson'), lines.join('\n'));
      const options = [
        '--if-exists',
        'skip',
        '--concurrency',
        '3',
        '--batch-size',
        '50',
        '--results',
        'results.ndjson',
      ];
      const start = (...words: readonly string[]) =>
        user.start([...words, '-o', 'json', '-q'], { env });
      let job = '';
      for (let kills = 0; kills < KILLS; kills += 1) {
        const add = ['documents', 'add', '--org', 'acme', '--file', 'documents.ndjson', ...options];
        const run = kills === 0 ? start(...add) : start('jobs', 'resume', job);
        await new Promise<void>((resolve) => {
          notify = resolve;
        });
        run.kill('SIGKILL');
        await run.ended;
        job ||= JSON.parse((await user.svc(['jobs', 'list', '-o', 'json'])).stdout)[0].id;
      }
      const { code, stdout } = await user.svc(['jobs', 'resume', job, '-o', 'json', '-q'], { env });
      const existing = TOTAL / 3;
      const summary = JSON.parse(stdout);
      expect(code).toBe(0);
      expect(summary).toMatchObject({
        total: TOTAL,
        succeeded: TOTAL - existing,
        skipped: existing,
        existing,
        failed: 0,
        unknown: 0,
      });
      // Records of a request without a response count as unchanged when they are found again.
      expect(summary.created + summary.unchanged).toBe(TOTAL - existing);
      expect(summary.unchanged).toBeLessThanOrEqual(KILLS * 3 * 50);
      const again = JSON.parse(
        (await user.svc(['jobs', 'resume', job, '-o', 'json'], { env })).stdout,
      );
      expect(again).toEqual(summary);
    },
  );
});
