import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newUserInProcess } from './in-process.ts';
import { startMockService, success } from './mock-service.ts';

type Sent = { readonly path: string; readonly data: Readonly<Record<string, unknown>> };

/** A user of a service that accepts every record. */
async function openUser() {
  const sent: Sent[] = [];
  const service = await startMockService(({ path, body }) => {
    sent.push({ path, data: body.data });
    const [list = []] = Object.values(body.data).filter(Array.isArray);
    const idOf = (record: Record<string, unknown>) =>
      String(record['userId'] ?? record['folderId'] ?? record['documentId'] ?? record);
    return success(
      Object.fromEntries(
        list.map((record: Record<string, unknown>) => [idOf(record), { success: true }]),
      ),
    );
  });
  const { svc, home } = await newUserInProcess();
  const run = (...words: readonly string[]) => svc(words, { env: service.env });
  const write = (name: string, text: string | Uint8Array) => writeFile(join(home, name), text);
  /** Adds the users of a text. */
  const add = async (name: string, text: string, ...flags: readonly string[]) => {
    await write(name, text);
    return run('users', 'add', '--file', name, ...flags);
  };
  return { sent, run, write, add };
}

const ORG = ['--org', 'acme'];

describe('a column that chooses where users go, or what they may do', () => {
  it.each([
    ['org', 'beta', 'organizationId'],
    ['orgId', 'beta', 'organizationId'],
    ['organization', 'beta', 'organizationId'],
    ['Organisation', 'beta', 'organizationId'],
    ['folder', 'f1', 'folderId'],
    ['document', 'd1', 'documentId'],
    ['role', 'viewer', 'accessRole'],
    ['Access Role', 'Editor', 'accessRole'],
    ['accessrole', 'viewer', 'accessRole'],
  ])('is refused unless mapped, dropped, or kept: %s', async (column, value, means) => {
    const { add, sent } = await openUser();
    const text = `userId,${column}\nu1,${value}\n`;
    const to = means === 'organizationId' ? [] : ORG;
    const map = (field: string) => ['--map', `${column}=${field}`];
    const refused = await add('users.csv', text, '-q', ...to);
    expect([refused.code, refused.stderr]).toEqual([
      3,
      expect.stringContaining(`the field '${column}' looks like '${means}'`),
    ]);
    expect(refused.stderr).toContain(`=${means}`);
    expect(sent).toEqual([]);
    if (value !== 'Editor')
      expect((await add('users.csv', text, ...to, ...map(means))).code).toBe(0);
    expect((await add('users.csv', text, ...ORG, ...map(''))).code).toBe(0);
    const kept = await add('users.csv', text, ...ORG, ...map(column));
    expect([kept.code, kept.stderr]).toEqual([0, '']);
    expect(sent.at(-1)?.data).toEqual({
      organizationId: 'acme',
      users: [{ userId: 'u1', [column]: value }],
    });
  });

  it.each([
    ['group', '"legal"'],
    ['organization', '{"id":"beta"}'],
  ])('is refused without a way to use it: %s', async (field, value) => {
    const { add, sent } = await openUser();
    const text = `[{"userId":"u1","${field}":${value}}]`;
    const { code, stderr } = await add('users.json', text, ...ORG);
    expect([code, sent]).toEqual([3, []]);
    expect(stderr).toContain(
      `hint: nothing was sent; to drop it, add --map ${field}=; to keep it in the records, add --map ${field}=${field}\n`,
    );
    expect((await add('users.json', text, ...ORG, '--map', `${field}=${field}`)).code).toBe(0);
  });

  it('is a warning if it contains job titles, also with -q', async () => {
    const { add, sent } = await openUser();
    const text = 'userId,role\nu1,Engineer\nu2,\nu3,Head of Sales\n';
    const { code, stderr } = await add('users.csv', text, ...ORG, '-q');
    expect([code, stderr]).toEqual([
      0,
      "warning: users.csv:2: the field 'role' is sent unchanged, and not as 'accessRole': none of its values is an access role\n",
    ]);
    expect(sent).toHaveLength(1);
    const others = await add('users.csv', 'userId,role,Notes\nu1,Engineer,x\n', ...ORG);
    expect(others.stderr).toContain("unknown column 'Notes' is sent unchanged; known: ");
    expect((await add('users.csv', `${text}u4,viewer\n`, ...ORG)).code).toBe(3);
  });

  it('is refused in --data too, and can be kept', async () => {
    const { run, sent } = await openUser();
    const data = ['--data', '{"organizationId":"acme","users":[{"userId":"u1","role":"viewer"}]}'];
    const refused = await run('users', 'add', ...data);
    expect([refused.code, sent]).toEqual([3, []]);
    expect((await run('users', 'add', ...data, '--map', 'role=accessRole')).code).toBe(0);
    expect((await run('users', 'add', ...data, '--map', 'role=role')).code).toBe(0);
    expect(sent.map(({ data: { users } }) => users)).toEqual([
      [{ userId: 'u1', accessRole: 'viewer' }],
      [{ userId: 'u1', role: 'viewer' }],
    ]);
  });

  it('is refused beside the list', async () => {
    const { add, sent } = await openUser();
    const text = '{"role":"viewer","users":[{"userId":"u1"}]}';
    expect((await add('users.json', text, ...ORG)).code).toBe(3);
    expect(sent).toEqual([]);
  });

  it('gets one hint together with others, which works', async () => {
    const { add, sent } = await openUser();
    const text = 'userId,org,role\nu1,beta,viewer\n';
    const { stderr } = await add('users.csv', text);
    const [, flags = ''] = /to use them, add ([^;]*);/.exec(stderr) ?? [];
    expect((await add('users.csv', text, ...flags.split(' '))).code).toBe(0);
    expect(sent.map(({ data }) => data)).toMatchObject([
      { organizationId: 'beta', users: [{ userId: 'u1', accessRole: 'viewer' }] },
    ]);
  });
});

it.each([
  [
    'userId,documentId\nu1,d1\nu2,\n',
    '1 of 2 records has no documentId or folderId; such users are added to the whole organization',
  ],
  [
    'userId,accessRole\nu1,viewer\nu2,\nu3,\n',
    '2 of 3 records have no accessRole; new users get the default role, editor',
  ],
  ['userId,documentId,folderId\nu1,d1,\nu2,,f1\n', undefined],
  ['userId,accessRole,documentId\nu1,,\nu2,,\n', undefined],
])('users with more access than others are named in a warning: %j', async (text, message) => {
  const { add } = await openUser();
  const { code, stderr } = await add('u.csv', text, ...ORG, '--dry-run');
  const warning = message === undefined ? '' : `warning: u.csv:3: ${message}\n`;
  expect([code, stderr]).toEqual([0, warning]);
});

describe('records for other organizations than --org', () => {
  it('are one problem', async () => {
    const { add, sent } = await openUser();
    const rows = Array.from({ length: 300 }, (_, at) => {
      const organization =
        at < 99
          ? 'acme'
          : ['beta', 'gamma', 'delta', 'eta'][Math.min(3, Math.floor((at - 99) / 66))];
      return `u${at},${organization}\n`;
    });
    const text = `userId,organizationId\n${rows.join('')}`;
    const { code, stderr } = await add('users.csv', text, ...ORG);
    expect([code, sent]).toEqual([3, []]);
    expect(stderr).toBe(
      'svc: users.csv:101: 201 of 300 records name other organizations (beta 66, gamma 66, delta 66, …); omit --org, or drop the column\n' +
        'hint: nothing was sent; to send records to several targets, omit --org; to ignore the field, add --map organizationId=\n',
    );
    expect((await add('users.csv', text, ...ORG, '--map', 'organizationId=')).code).toBe(0);
    expect((await add('users.csv', text)).code).toBe(0);
  });
});

describe('300 records with one mistake in a target', () => {
  const createUsers = (fields: (at: number) => object) =>
    Array.from({ length: 300 }, (_, at) => ({ userId: `u${at}`, ...fields(at) }));
  const others = createUsers((at) => ({ organizationId: ['acme', 'beta', 'gamma'][at % 3] }));
  const DROP = '--map organizationId= --org acme';

  it.each([
    [
      JSON.stringify({ organizationId: 'acme', users: others }),
      'u.json:1: 200 of 300 records name other organizations (beta 100, gamma 100), but the file sets organizationId to acme for all records',
      `to send all records to acme, add ${DROP}; otherwise remove the field from beside the records`,
    ],
    [
      JSON.stringify(createUsers(() => ({ organizationId: 'acme\u200b' }))),
      "u.json:1: 300 of 300 records: organizationId: must not contain invisible characters, got 'acme\\u200b'",
      'fix the problems, then check the files again',
    ],
    [
      JSON.stringify(createUsers((at) => (at === 0 ? { organizationId: 'acme' } : {}))),
      'u.json:1: 299 of 300 records: organizationId: is required',
      'fix the problems, then check the files again',
    ],
    [
      JSON.stringify(createUsers(() => ({ organizationId: 'acme', accessRole: 'boss' }))),
      "u.json:1: 300 of 300 records: accessRole: expected one of viewer, editor, got 'boss'",
      'fix the problems, then check the files again',
    ],
  ])('are one problem: %#', async (text, problem, hint) => {
    const { add, sent } = await openUser();
    const dry = await add('u.json', text, '--dry-run');
    expect([dry.code, dry.stdout]).toEqual([3, `${problem}\n`]);
    expect(dry.stderr).toBe(`svc: u.json: 1 problem in 300 records\nhint: ${hint}\n`);
    const { code, stderr } = await add('u.json', text, '-o', 'json');
    expect([code, sent]).toEqual([3, []]);
    expect(JSON.parse(stderr).error.message).toBe(problem);
    if (hint.includes(DROP)) expect((await add('u.json', text, ...DROP.split(' '))).code).toBe(0);
  });
});

describe('an ID that nobody typed', () => {
  const IDS = [
    'undefined',
    'null',
    'NULL',
    'None',
    'NaN',
    'nan',
    '[object Object]',
    '\\N',
    'userId',
    'USERID',
    '------',
    '########',
    'u\u200b1',
    '\ufeffu1',
    'u1\u2060',
    'u3\u202e',
    'u\u00a01',
    'u\u00011',
    'M\u00c3\u00bcller',
    'Bj\ufffdrn',
    '1.2E+11',
    '#N/A',
    ' u1',
    '1-Mar',
    "'0123",
  ];

  it('is a problem unless allowed', async () => {
    const { add, sent } = await openUser();
    const text = IDS.map((userId) => JSON.stringify({ userId })).join('\n');
    const dry = await add('users.ndjson', text, ...ORG, '--dry-run');
    const lines = dry.stdout.split('\n').slice(0, -1);
    expect(lines.map((line) => line.split(' ', 2).join(' '))).toEqual(
      IDS.map((_, at) => `users.ndjson:${at + 1}: userId:`),
    );
    const { code, stderr } = await add('users.ndjson', text, ...ORG);
    expect([code, stderr, sent]).toEqual([3, expect.stringContaining('--allow-suspicious'), []]);
    const allowed = await add('users.ndjson', text, ...ORG, '--allow-suspicious');
    expect([allowed.code, allowed.stderr]).toEqual([
      0,
      expect.stringContaining(`${IDS.length} suspicious values`),
    ]);
    expect(sent.map(({ data }) => data['users'])).toEqual([IDS.map((userId) => ({ userId }))]);
  });

  it('is a decimal in every record', async () => {
    const { add } = await openUser();
    for (const [first, second, end] of [
      ['101.0', '102.0', '.0'],
      ['101.00', '102.00', '.00'],
      ['"101,0"', '"102,0"', ',0'],
    ] as const) {
      const refused = await add('u.csv', `userId\n${first}\n${second}\n`, ...ORG);
      const id = first.replaceAll('"', '');
      expect([refused.code, refused.stderr]).toEqual([
        3,
        expect.stringContaining(`userId: '${id}' and all other values end in '${end}'`),
      ]);
    }
    expect((await add('u.csv', 'userId\n1.0\n1.1\n', ...ORG)).code).toBe(0);
  });

  it('differs from ordinary IDs', async () => {
    const { add } = await openUser();
    const ids = ['1.10', 'u-1', 'n', 'Nina', '0123', 'a@b.c', '李', 'Ünal', 'a b', 'Mar-1', '=1'];
    const { code, stderr } = await add('u.csv', `userId\n${ids.join('\n')}\n`, ...ORG);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('may be half of a surrogate pair, which is never allowed', async () => {
    const { add, sent } = await openUser();
    const text = String.raw`[{"userId":"u\ud800"}]`;
    expect((await add('u.json', text, ...ORG, '--allow-suspicious')).code).toBe(3);
    // The name of a user is refused too, because nothing can store it.
    const { code } = await add('u.yaml', String.raw`- {userId: u, name: "\ud800"}`, ...ORG);
    expect([code, sent]).toEqual([3, []]);
  });

  it('is a warning in other fields, where joiners are writing', async () => {
    const { add } = await openUser();
    const text = 'userId,name\nu1,None\nu2,A\u200bda\nu3,می\u200cخواهم\nu4,M\u00c3\u00bcller\n';
    const { code, stdout, stderr } = await add('u.csv', text, ...ORG, '--dry-run');
    expect([code, stdout]).toEqual([0, expect.stringContaining('4 users, no errors, 3 warnings')]);
    expect(stderr).toContain("u.csv:2: name: 'None' stands for a missing value\n");
    expect(stderr).toContain("u.csv:3: name: 'A<U+200B>da' contains an invisible character\n");
    expect(stderr).toContain("it is probably 'Müller'\n");
  });

  it('is found in the organization of a record', async () => {
    const { add, sent } = await openUser();
    const { code, stderr } = await add('u.csv', 'userId,organizationId\nu1,undefined\n');
    expect([code, sent]).toEqual([3, []]);
    expect(stderr).toContain("u.csv:2: organizationId: 'undefined' stands for a missing value");
  });

  it('is counted if it is frequent', async () => {
    const { add } = await openUser();
    const rows = Array.from({ length: 30 }, (_, at) => ` u${at}\n`).join('');
    const { stderr } = await add('u.csv', `userId\n${rows}`, ...ORG);
    expect(stderr).toContain('30 problems');
  });

  it('is read as text if a spreadsheet protected it', async () => {
    const { add, sent } = await openUser();
    expect((await add('u.csv', 'userId,name\n"=""00123""",Ada\n', ...ORG)).code).toBe(0);
    expect(sent.map(({ data }) => data['users'])).toEqual([[{ userId: '00123', name: 'Ada' }]]);
  });
});

describe('JSON is read by its content', () => {
  it.each([
    ['lines.json', '{"userId":"u1","name":"A"}\n{"userId":"u2"}\n'],
    ['pretty.ndjson', '{\n "userId":"u1",\n "name":"A"\n}\n{\n "userId":"u2"\n}\n'],
    ['arrays.json', '[{"userId":"u1","name":"A"}]\n[{"userId":"u2"}]'],
    ['array.ndjson', '[\n{"userId":"u1","name":"A"},\n{"userId":"u2"}\n]\n'],
    ['sequence.json', '\x1e{"userId":"u1","name":"A"}\n\x1e{"userId":"u2"}\n'],
    ['sequence.ndjson', '\x1e{"userId":"u1","name":"A"}\n\x1e{"userId":"u2"}\n'],
    ['keyed.json', '{"u1":{"name":"A"},"u2":{}}'],
    ['keyed-list.json', '{"users":{"u1":{"name":"A"},"u2":{"userId":"u2"}}}'],
    [
      'envelope.json',
      '{"status":"success","message":"ok","data":[{"userId":"u1","name":"A"},{"userId":"u2"}]}',
    ],
  ])('%s', async (name, text) => {
    const { add, sent } = await openUser();
    const { code, stderr } = await add(name, text, ...ORG);
    expect([code, stderr]).toEqual([0, '']);
    expect(sent.map(({ data: { users } }) => users)).toEqual([
      [{ userId: 'u1', name: 'A' }, { userId: 'u2' }],
    ]);
  });

  it.each([
    [
      'other.json',
      '{"meta":{"page":1},"rows":[{"userId":"a"}]}',
      'the object has no array "users"',
    ],
    ['pages.json', '{"data":{"users":[{"userId":"a"}]}}', 'with jq .data.users pages.json\n'],
    ['keyed.json', '{"u1":{"userId":"u2","name":"A"}}', `userId: "u2" differs from 'u1'`],
    ['mixed.json', '[{"userId":"a"}]\n{"userId":"b"}', '2:1: unexpected text after the end'],
    ['lines.ndjson', '{"userId":"a"}\n{"userId":"b"\n', 'lines.ndjson:2:14: unexpected end'],
    ['json.csv', '[{"userId":"a"},{"userId":"b"}]', 'hint: for JSON, add --input-format json'],
  ])('and refused if it is ambiguous: %s', async (name, text, problem) => {
    const { add, sent } = await openUser();
    const { code, stderr } = await add(name, text, ...ORG);
    expect([code, stderr, sent]).toEqual([3, expect.stringContaining(problem), []]);
  });
});

describe('folders in a file', () => {
  it('are sent parents first, in each organization', async () => {
    const { run, write, sent } = await openUser();
    await write(
      'f.csv',
      'folderId,parentFolderId,organizationId\nc,b,beta\nz,c,acme\nb,a,beta\nc,root,acme\na,,beta\n',
    );
    const { code, stderr } = await run(
      'folders',
      'add',
      '--file',
      'f.csv',
      '--create-organization',
    );
    expect([code, stderr]).toEqual([0, '']);
    expect(
      sent.map(({ data: { organizationId, folders } }) => [
        organizationId,
        (folders as readonly { readonly folderId: string }[]).map(({ folderId }) => folderId),
      ]),
    ).toEqual([
      ['acme', ['c', 'z']],
      ['beta', ['a', 'b', 'c']],
    ]);
  });

  it('are refused if they contain themselves', async () => {
    const { run, write, sent } = await openUser();
    await write('f.csv', 'folderId,parentFolderId\na,b\nb,c\nc,a\nd,d\ne,a\n');
    const add = ['folders', 'add', '--org', 'acme', '--file', 'f.csv', '--allow-suspicious'];
    const { code, stdout } = await run(...add, '--dry-run');
    expect([code, stdout, sent]).toEqual([
      3,
      'f.csv:2: parentFolderId: the folders contain themselves: a in b in c in a\n' +
        'f.csv:5: parentFolderId: the folders contain themselves: d in d\n',
      [],
    ]);
  });
});

it('IDs beside their target are added to it', async () => {
  const { run, write, sent } = await openUser();
  await write(
    'g.json',
    '{"organizationId":"acme","organizationUserGroupId":"g","userIds":["u1","u2"]}',
  );
  await write('g.yaml', 'organizationId: acme\norganizationUserGroupId: g\nuserIds: [u1, 007]\n');
  for (const file of ['g.json', 'g.yaml']) {
    const { code, stderr } = await run('groups', 'add-users', '--file', file);
    expect([code, stderr]).toEqual([0, '']);
  }
  expect(sent.map(({ data }) => data)).toEqual([
    { organizationId: 'acme', organizationUserGroupId: 'g', userIds: ['u1', 'u2'] },
    { organizationId: 'acme', organizationUserGroupId: 'g', userIds: ['u1', '007'] },
  ]);
});

describe('a table as people save it', () => {
  const USER = [{ userId: 'u1', name: 'Ada' }];

  it.each<[string, string, readonly string[], readonly object[]]>([
    ['u.csv', 'userId|name\nu1|Ada\n', [], USER],
    ['u.csv', 'userId^name\nu1^Ada\n', [], USER],
    ['u.tsv', 'userId\tname\nu1\tAda\n', [], USER],
    ['u.csv', 'userId#name\nu1#Ada\n', ['--separator', '#'], USER],
    ['u.csv', 'userId;name, full\nu1;Ada\n', ['--map', 'name, full=name'], USER],
    ['u.csv', '"userId";"a;b, c"\nu1;Ada\n', ['--map', 'a;b, c=name'], USER],
    ['u.csv', 'userId,name,\nu1,Ada,\n', [], USER],
    ['u.csv', 'userId,name\nu1,Ada,,\n', [], USER],
    ['u.csv', 'userId,,name\nu1,x,Ada\n', ['--map', '2='], USER],
    ['u.csv', 'userId,\nu1,Ada\n', ['--map', '2=name'], USER],
    ['u.csv', 'userId,2,\nu1,x,Ada\n', ['--map', '2=', '--map', '3=name'], USER],
    ['u.csv', 'userId,name,name\nu1,Ada,Al\n', ['--map', 'name#2='], USER],
    ['u.csv', 'userId,name,name\nu1,Al,Ada\n', ['--map', 'name=', '--map', 'name#2=name'], USER],
    ['u.csv', 'Staff\n2026,x\n\nuserId,name\nu1,Ada\n', ['--header-row', '4'], USER],
    ['u.csv', '"Staff, ""A""",\nuserId;name\nu1;Ada\n', ['--header-row', '2'], USER],
    ['u.csv', '"Staff" of 2026\nuserId|name\nu1|Ada\n', ['--header-row', '2'], USER],
    ['u.csv', 'sep=;\r\n"A" B\r\nuserId;name\r\nu1;Ada\r\n', ['--header-row', '3'], USER],
    ['u.csv', 'Staff\ruserId;name\ru1;Ada\r', ['--header-row', '2'], USER],
  ])('is read: %s %j %j', async (name, text, flags, users) => {
    const { add, sent } = await openUser();
    const { code, stderr } = await add(name, text, ...ORG, ...flags);
    expect(code, stderr).toBe(0);
    expect(sent.map(({ data }) => data['users'])).toEqual([users]);
  });

  it.each([
    ['userId,,name\nu1,x,Ada\n', 'column 2 has no name, but a value', '--map 2='],
    ['userId,,name,\nu1,x,Ada,y\n', 'column 2 has no name, but a value', '--map 2= --map 4='],
    ['userId,name,name\nu1,Ada,Al\n', "two columns are named 'name'", "--map 'name#2='"],
    [
      'userId,name,name,name\nu1,Ada,Al,A\n',
      "two columns are named 'name'",
      "--map 'name#2=' --map 'name#3='",
    ],
    ['userId#name\nu1#Ada\n', "the column 'userId' is missing", "--separator '#'"],
    ['Staff\n\nuserId,name\nu1,Ada\n', "the column 'userId' is missing", '--header-row 3'],
    [
      'Employee No,E-Mail Address,Company,role\nu1,a@b.co,beta,viewer\n',
      "the column 'userId' is missing",
      "--map role=accessRole --map 'Employee No=userId' --map 'E-Mail Address=email' --map Company=",
    ],
    ['userId name\nu1 Ada\n', "the column 'userId' is missing", "--separator ' '"],
    [
      'User id,User name,Org role\nu1,Ada,User\n',
      "the column 'userId' is missing",
      "--map 'User id=userId' --map 'User name=name'",
    ],
    ['Login,Role\nu1,Member\nu2,Owner\n', "the column 'userId' is missing", '--map Login=userId'],
  ])('is refused with a hint that works: %j', async (text, problem, flags) => {
    const { add } = await openUser();
    const refused = await add('u.csv', text, ...ORG);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining(problem)]);
    const [, found = ''] = /add ((?:--[a-z-]+ (?:'[^']*'|\S+) ?)+)/.exec(refused.stderr) ?? [];
    const words = [...found.matchAll(/'([^']*)'|(\S+)/g)].map(([, a, b]) => a ?? b ?? '');
    const expected = [...flags.matchAll(/'([^']*)'|(\S+)/g)].map(([, a, b]) => a ?? b ?? '');
    expect(words.toSorted()).toEqual(expected.toSorted());
    expect((await add('u.csv', text, ...ORG, ...words)).code).toBe(0);
  });

  it('names the encoding of files in UTF-16', async () => {
    const { run, write } = await openUser();
    await write('a.csv', Buffer.from('userId\nu1\n', 'utf16le'));
    await write('b.csv', Buffer.from('\ufeffuserId\nu2\n', 'utf16le'));
    await write('c.csv', Buffer.from('userId,name\nu3,caf\xe9\n', 'latin1'));
    const files = ['--file', 'a.csv', '--file', 'b.csv', '--file', 'c.csv'];
    const flags = [...files, '--encoding', 'windows-1252'];
    const { code, stderr } = await run('users', 'add', ...ORG, ...flags);
    expect([code, stderr]).toEqual([
      0,
      'reading a.csv as utf-16le, b.csv as utf-16le, c.csv as windows-1252\n',
    ]);
  });

  it('keeps UTF-8 beside files with another encoding', async () => {
    const { run, write, sent } = await openUser();
    await write('a.csv', 'userId,name\nu1,Müller\n');
    await write('b.csv', Buffer.from('userId,name\nu2,caf\xe9\n', 'latin1'));
    const files = ['--file', 'a.csv', '--file', 'b.csv', '--encoding', 'windows-1252'];
    const { code, stderr } = await run('users', 'add', ...ORG, ...files);
    expect([code, stderr]).toEqual([0, 'reading a.csv as utf-8, b.csv as windows-1252\n']);
    expect(sent.map(({ data }) => data['users'])).toEqual([
      [
        { userId: 'u1', name: 'Müller' },
        { userId: 'u2', name: 'café' },
      ],
    ]);
    const single = await run('users', 'add', ...ORG, '--file', 'a.csv', '--encoding', 'latin1');
    expect(single.stderr).toContain('warning: a.csv is valid UTF-8, but is read as windows-1252\n');
  });

  it.each(['Foo,Bar\nu1,Ada\n', 'Foo,Type\n1,User\n', 'Foo,Login\u00a0type\nu@b.co,user\n'])(
    'that does not name its ID shows the form of the flag: %j',
    async (text) => {
      const { add } = await openUser();
      const { stderr } = await add('u.csv', text, ...ORG);
      expect(stderr).toContain('the columns are: ');
      expect(stderr).toContain("name the column of the ID: --map '<column>=userId'");
    },
  );

  it.each([
    ['userId\nu1;Ada\nu2;Bo\n', 'the row has 2 cells, but the header has 1'],
    ['userId\nu1\tAda\n', 'the row has 2 cells, but the header has 1'],
    ['| userId | name |\n|--------|------|\n| u1 | Ada |\n', 'a text table, such as Markdown'],
    [' userId | name \n--------+------\n u1 | Ada\n', 'a text table, such as Markdown'],
  ])('is refused rather than read with wrong IDs: %j', async (text, problem) => {
    const { add, sent } = await openUser();
    const { code, stderr } = await add('u.csv', text, ...ORG);
    expect([code, stderr, sent]).toEqual([3, expect.stringContaining(problem), []]);
  });
});
