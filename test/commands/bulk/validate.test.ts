import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { VALIDATE_COMMANDS } from '../../../src/commands/bulk/validate-commands.ts';
import type { ValidateFlags } from '../../../src/commands/bulk/validate-flags.ts';
import type { GlobalOptions } from '../../../src/commands/context.ts';
import { SvcError } from '../../../src/kernel/errors.ts';
import type { Environment } from '../../../src/kernel/folders.ts';
import { repeats } from '../../repeats.ts';
import { SLOW } from '../../slow.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';
import { fakeContext } from '../fake-context.ts';

interface World {
  readonly noun?: string;
  /** Additional files. */
  readonly others?: Readonly<Record<string, string>>;
  /** File name, or `-` for stdin. */
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly flags?: ValidateFlags;
  readonly output?: GlobalOptions['output'];
  readonly environment?: Environment;
  readonly temporaryFolder?: string;
}

async function validate({
  noun = 'users',
  name,
  content,
  others = {},
  flags = {},
  output,
  environment = {},
  temporaryFolder,
}: World) {
  const cwd = await createTemporaryFolder();
  if (name !== '-') await writeFile(join(cwd, name), content);
  for (const [other, text] of Object.entries(others)) await writeFile(join(cwd, other), text);
  const context = await fakeContext({
    cwd,
    stdin: content,
    environment,
    ...(output && { options: { output } }),
  });
  if (temporaryFolder !== undefined) vi.stubEnv('TMPDIR', temporaryFolder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const run = await VALIDATE_COMMANDS.find(({ command }) => command[0] === noun)?.load();
  const error = await run?.(context, {
    arguments: [],
    options: { file: [name, ...Object.keys(others)], ...flags },
  }).then(
    () => undefined,
    (thrown: unknown) => {
      if (thrown instanceof SvcError) return thrown;
      throw thrown;
    },
  );
  return { stdout: context.stdout(), stderr: context.stderr(), error };
}

const BROKEN =
  '[\n  {"userId": "a", "zip": 1},\n  {"userId": 7, "email": false},\n  {"userId": "a"}\n]';

describe('validating a file', () => {
  it('reports that no problems were found', async () => {
    const { stdout, stderr, error } = await validate({
      name: 'u.ndjson',
      content: '{"userId":"a"}\n{"userId":"b"}',
    });
    expect([stdout, stderr, error]).toEqual([
      'u.ndjson: 2 users, no problems found\n',
      '',
      undefined,
    ]);
  });

  it('reports an empty file in every format', async () => {
    const { stdout, error } = await validate({ name: 'u.json', content: ' ' });
    expect([stdout, error?.failure, error?.hint]).toEqual([
      'u.json: the input is empty\n',
      'invalid_input',
      'check that the export is complete',
    ]);
  });

  it('reports every problem, and fails with invalid_input', async () => {
    const { stdout, stderr, error } = await validate({ name: 'u.json', content: BROKEN });
    expect(stdout.split('\n')).toEqual([
      'u.json:3: userId: expected text, got a number: put it in quotes',
      'u.json:3: email: expected text, got false',
      "u.json:4: userId: 'a' is already on line 2",
      '',
    ]);
    expect(stderr).toContain("warning: u.json:2: unknown field 'zip' is sent unchanged");
    expect([error?.failure, error?.message]).toEqual([
      'invalid_input',
      'u.json: 3 problems in 3 records',
    ]);
  });

  it('reports more problems than the hundred of a bulk error', async () => {
    const { stdout } = await validate({ name: 'u.ndjson', content: '{}\n'.repeat(350) });
    expect(stdout.split('\n').filter((line) => line.endsWith('userId: is required'))).toHaveLength(
      350,
    );
  });

  it('reports problems up to the point where the file cannot be read', async () => {
    const { stdout, error } = await validate({ name: 'u.json', content: '[{},\n{"userId":"a"' });
    expect(stdout).toBe(
      'u.json:1: userId: is required\nu.json:2:1: the JSON ends inside the value that begins here\n',
    );
    expect(error?.hint).toBe('check that the file is complete');
  });

  it('reads stdin and compressed files, and leaves no temporary files', async () => {
    const temporaryFolder = await createTemporaryFolder();
    const content = '{"userId":"a"}\n{"userId":"a"}';
    const piped = await validate({ name: '-', content, temporaryFolder });
    expect(piped.stdout).toBe("stdin:2: userId: 'a' is already on line 1\n");
    vi.unstubAllEnvs();
    const csv = gzipSync('userId\na\nb\n');
    const packed = await validate({ name: 'u.csv.gz', content: csv, temporaryFolder });
    expect([packed.stdout, packed.error]).toEqual([
      'u.csv.gz: 2 users, no problems found\n',
      undefined,
    ]);
    expect(await readdir(temporaryFolder)).toEqual([]);
  });
});

describe('without a usable folder for temporary files', () => {
  it('reads files, and reports the folder for a pipe', async () => {
    const temporaryFolder = '/nonexistent';
    const named = await validate({ name: 'u.json', content: '[{"userId":"a"}]', temporaryFolder });
    expect(named.error).toBeUndefined();
    const text = '{"userId":"a"}\n{"userId":"b"}';
    vi.unstubAllEnvs();
    const piped = await validate({ name: '-', content: text, temporaryFolder });
    expect(piped.error).toMatchObject({
      failure: 'local',
      message: expect.stringContaining('/nonexistent'),
    });
  });
});

describe('the format of findings', () => {
  it('is an escaped workflow command for GitHub', async () => {
    const content = '[\n  {"userId": "a", "x%\\n": 1},\n  {"userId": 7}\n]';
    const { stdout } = await validate({ name: 'a,b:c.json', content, flags: { format: 'github' } });
    expect(stdout.split('\n')).toEqual([
      '::error file=a%2Cb%3Ac.json,line=3,col=3::userId: expected text, got a number: put it in quotes',
      expect.stringMatching(/^::warning file=a%2Cb%3Ac\.json,line=2::unknown field 'x%25[^\n]*$/),
      '',
    ]);
  });

  it('is one document for programs', async () => {
    const { stdout } = await validate({ name: 'u.json', content: BROKEN, output: 'json' });
    expect(JSON.parse(stdout)).toEqual({
      file: 'u.json',
      records: 3,
      valid: false,
      findings: [
        {
          line: 3,
          column: 3,
          field: 'userId',
          message: 'expected text, got a number: put it in quotes',
        },
        { line: 3, column: 3, field: 'email', message: 'expected text, got false' },
        { line: 4, column: 3, field: 'userId', message: "'a' is already on line 2" },
      ],
      warnings: [{ line: 2, message: expect.stringContaining("'zip'") }],
      warningCount: 1,
    });
  });

  it('is one record per line in NDJSON', async () => {
    const { stdout } = await validate({ name: 'u.json', content: BROKEN, output: 'ndjson' });
    expect(stdout.trim().split('\n')).toHaveLength(3);
    expect(JSON.parse(stdout.split('\n')[0] ?? '')).toMatchObject({ line: 3, field: 'userId' });
  });
});

describe('everything in one pass', () => {
  const RAGGED =
    'userId,name,email\nu1,Ann,a@x.com\nu2,Bob\n,,\nu1,Al,b@x.com\nu3,Cy,c@x.com,more\nu4,,\n,,\n,,\n';

  it('reports uneven rows and duplicates in the order of the file, and skips empty rows', async () => {
    const { stdout, stderr, error } = await validate({ name: 'u.csv', content: RAGGED });
    expect(stdout.split('\n')).toEqual([
      'u.csv:3: the row has 2 cells, but the header has 3',
      "u.csv:5: userId: 'u1' is already on line 2",
      'u.csv:6: the row has 4 cells, but the header has 3',
      '',
    ]);
    expect(stderr.split('\n').toSorted()).toEqual([
      '',
      'warning: u.csv:4: 3 rows without values are skipped',
      'warning: u.csv:7: name: is empty',
    ]);
    expect(error?.message).toBe('u.csv: 3 problems in 5 records');
  });

  it('finds each fault among any others', SLOW, async () => {
    const kinds = ['good', 'short', 'long', 'empty', 'double', 'noId'] as const;
    const rows = { short: 'x', long: 'x,y,z,w', empty: ',,', double: 'same,n,', noId: ',n,' };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 30 }),
        async (chosen) => {
          const text = chosen.map((kind, at) => (kind === 'good' ? `u${at},n,` : rows[kind]));
          const { stdout } = await validate({
            name: 'u.csv',
            content: ['userId,name,email', 'first,n,', ...text, 'end,n,'].join('\n'),
          });
          const expected = chosen.flatMap((kind, at) => {
            const isFirst = kind !== 'double' || at > chosen.indexOf(kind);
            return kind === 'good' || kind === 'empty' || !isFirst ? [] : [at + 3];
          });
          const found = [...stdout.matchAll(/^u\.csv:(\d+): /gm)].map(([, line]) => Number(line));
          expect(found.toSorted((a, b) => a - b)).toEqual(expected);
        },
      ),
      { numRuns: repeats(30) },
    );
  });

  it('reports the hint that solves all problems', async () => {
    const hintOf = async (content: string) =>
      (await validate({ name: 'u.csv', content })).error?.hint;
    expect(await hintOf('userId,name\na,b\nc\nd\n')).toMatch(/^check that the file is complete/);
    expect(await hintOf('userId,name\na,b\nx,y,z\nc\n')).toBe(
      'fix the problems, then check the files again',
    );
  });

  it('skips single records that are not valid JSON or YAML', async () => {
    const lines = await validate({
      name: 'u.ndjson',
      content: '{"userId":"a"}\n{"userId":}\n{"userId":"a"}\n',
    });
    expect(lines.stdout).toBe(
      "u.ndjson:2:11: expected a value, found '}'\nu.ndjson:3: userId: 'a' is already on line 1\n",
    );
    const list = await validate({
      name: 'u.json',
      content: '[{"userId":"a"},\n{"userId":},\n{"userId":"a"}]',
    });
    expect(list.stdout).toBe(
      "u.json:2:11: expected a value, found '}'\nu.json:3: userId: 'a' is already on line 1\n",
    );
    const yaml = await validate({
      name: 'u.yaml',
      content: '- userId: a\n- userId: b\n  userId: c\n- userId: a\n',
    });
    expect(yaml.stdout).toBe(
      "u.yaml:3:3: a field occurs twice in one record\nu.yaml:4: userId: 'a' is already on line 1\n",
    );
    expect(yaml.error?.message).toBe('u.yaml: 2 problems in 3 records');
  });

  it('reports duplicates in the part before an error that hides the rest', async () => {
    const content = 'userId\na\na\n"b\nc\n';
    const { stdout } = await validate({ name: 'u.csv', content });
    expect(stdout).toBe(
      "u.csv:3: userId: 'a' is already on line 2\nu.csv:4:1: the quote is not closed\n",
    );
    expect((await validate({ name: '-', content, flags: { inputFormat: 'csv' } })).stdout).toBe(
      'stdin:4:1: the quote is not closed\n',
    );
  });

  it('stops at a file of another format', async () => {
    const { stdout } = await validate({ name: 'u.ndjson', content: `{\n${'x\n'.repeat(500)}` });
    expect(stdout.trim().split('\n')).toHaveLength(10);
    expect(stdout).toContain('reading stopped because none of the first records can be read');
  });

  it('numbers the records that share a line', async () => {
    const content = '[{"userId":"a"},{"name":"b"},{"userId":"a"},{"userId":}]';
    const { stdout } = await validate({ name: 'u.json', content });
    expect(stdout.split('\n')).toEqual([
      'u.json:1:17: record 2: userId: is required',
      "u.json:1:30: record 3: userId: 'a' is already in record 1",
      "u.json:1:55: record 4: expected a value, found '}'",
      '',
    ]);
    const json = await validate({ name: 'u.json', content, output: 'json' });
    expect(JSON.parse(json.stdout).findings[0]).toEqual({
      line: 1,
      column: 17,
      record: 2,
      field: 'userId',
      message: 'is required',
    });
    const github = await validate({ name: 'u.json', content, flags: { format: 'github' } });
    expect(github.stdout).toContain(
      '::error file=u.json,line=1,col=17::record 2: userId: is required\n',
    );
  });

  it.each([
    ['[{"id":"a","name":"x"},{"id":"b"}]', 'u.json'],
    ['- id: a\n- id: b\n', 'u.yaml'],
    ['id,name\na,x\n', 'u.csv'],
  ])('suggests how to rename the ID of %s', async (content, name) => {
    expect((await validate({ name, content })).error?.hint).toBe(
      name === 'u.csv' ? 'add --map id=userId' : "did you mean 'id'? add --map id=userId",
    );
    expect(
      (await validate({ name, content, flags: { map: ['id=userId'] } })).error,
    ).toBeUndefined();
  });

  it.each([
    ['[{"foo":"a","name":"x"},{"foo":"b"}]', 'u.json'],
    ['- foo: a\n  name: x\n- foo: b\n', 'u.yaml'],
  ])('shows how to name the field of the ID of %s', async (content, name) => {
    expect((await validate({ name, content })).error?.hint).toBe(
      "name the field of the ID: --map '<field>=userId'; the fields are: foo, name",
    );
  });

  it.each([
    ['userId,u1,u2\nname,Ada,Bo\nphone,1,2\n', "2: userId: 'name' is the name of a field"],
    ['userId,u1\nE-Mail,a@example.com\n', "2: userId: 'E-Mail' is the name of a field"],
    ['userId=u1\nname=Ada\n', "1: the column 'userId' is missing; the columns are: userId=u1"],
  ])('refuses a table with a column for each record: %j', async (content, problem) => {
    const { stdout, error } = await validate({ name: 'u.csv', content });
    expect(`${stdout}${error?.message}`).toContain(`u.csv:${problem}`);
    expect(error?.hint).not.toContain('--separator');
  });

  it('accepts IDs such as name beside other fields', async () => {
    for (const content of ['userId,name\nname,Ada\n', '[{"userId":"name","x":1}]'])
      expect(
        (
          await validate({
            name: 'u.csv',
            content,
            flags: content.startsWith('[') ? { inputFormat: 'json' } : {},
          })
        ).error,
      ).toBeUndefined();
  });

  it.each([
    ['{"u1":{"name":"Ada"}}\n{"u2":{}}\n', 'u.ndjson', 'to_entries[] | .value + {userId: .key}'],
    ['[{"u1":{}},{"u2":{"userId":"u2"}}]', 'u.json', 'to_entries[] | .value + {userId: .key}'],
    ['{"user":{"userId":"u1"}}\n', 'u.ndjson', '.[]'],
    ['[{"organizationId":"a","users":[{"userId":"u1"}]}]', 'u.json', 'del(.users) + .users[]'],
    ['{"users":[{"userId":"u1"}]}\n{"users":[]}\n', 'u.ndjson', 'del(.users) + .users[]'],
  ])('shows how jq converts the records in %s', async (content, name, filter) => {
    expect((await validate({ name, content })).error?.hint).toContain(
      `put the records into one list, for example with jq -s '[flatten[] | ${filter}]' ${name}`,
    );
  });

  it.each([
    [`userId${',name'.repeat(3000)}\n`, "add a flag such as --map 'name#2=' for each of the 2999"],
    [
      `userId${','.repeat(3000)}\nu1${',x'.repeat(3000)}\n`,
      'such as --map 2= for each of the 3000',
    ],
  ])('gives an example of a flag for many columns', async (content, flag) => {
    expect((await validate({ name: 'u.csv', content })).error?.hint).toContain(flag);
  });

  it.each(['u.XLS', 'u.ods', 'u.numbers'])('refuses %s with a way out', async (name) => {
    const { error } = await validate({ name, content: '<html><table>' });
    expect([error?.failure, error?.message]).toEqual([
      'invalid_input',
      `${name}: of spreadsheets, svc reads only .xlsx files without a password`,
    ]);
    expect(error?.hint).toContain('save the file as .xlsx, or the sheet as CSV');
    // Programs also write CSV under the name of a spreadsheet.
    expect((await validate({ name, content: 'userId\na\n' })).error).toBeUndefined();
  });
});

it.each([
  ['u1,"Ada\nu2,Bo\nu3,Cy"\n', 1],
  ['"u1\nu2,Bo\nu3",Cy\n', 1],
  ['u1,"Ada\nSt 1\nBerlin, Germany"\n', 0],
  ['u1,"Ada\nLovelace"\n', 0],
])('warns about a cell that contains rows: %j', async (rows, count) => {
  const { stderr } = await validate({ name: 'u.csv', content: `userId,name\n${rows}` });
  expect(stderr.match(/u.csv:2: a cell contains lines that look like records/g) ?? []).toHaveLength(
    count,
  );
});

describe('suspicious values', () => {
  const warningsOf = async (content: string, flags: ValidateFlags = {}, name = 'u.csv') => {
    const { stdout, stderr, error } = await validate({ name, content, flags });
    expect(error).toBeUndefined();
    return { stdout, warnings: stderr.trimEnd().split('\n') };
  };

  it('are warnings, and the file is still valid', async () => {
    const { stdout, warnings } = await warningsOf(
      'userId;name;email\nu1; Ann ;ann@x.com\n1,23E+11;#N/A;ann@x\nu3;;c@d.org\nu4;#WERT!;Ann <a@b.de>\n',
      { allowSuspicious: true },
    );
    expect(stdout).toBe('u.csv: 4 users, no errors, 7 warnings\n');
    expect(warnings).toEqual([
      "warning: u.csv:2: name: ' Ann ' begins or ends with a space",
      "warning: u.csv:3: userId: '1,23E+11' is a number that Excel shortened; its last digits are lost",
      "warning: u.csv:3: name: '#N/A' is a spreadsheet formula error",
      "warning: u.csv:3: email: 'ann@x' is not a valid email address",
      'warning: u.csv:4: name: is empty',
      "warning: u.csv:5: name: '#WERT!' is a spreadsheet formula error",
      "warning: u.csv:5: email: 'Ann <a@b.de>' is not a valid email address",
    ]);
  });

  it('do not appear for ordinary values of any language', async () => {
    const { stdout } = await warningsOf(
      "userId,name,email\n1e5,Zoë Müller,zoë@müller.example\n#1,李,a.b+c@x.co.uk\n0123,Al #2!,o'hara@x.ie\n",
    );
    expect(stdout).toBe('u.csv: 3 users, no problems found\n');
  });

  it('may be absent names in an update', async () => {
    const content = 'userId,name,email\nu1,,a@x.com\n';
    expect((await warningsOf(content, { for: 'update' })).stdout).toBe(
      'u.csv: 1 user, no problems found\n',
    );
    expect((await warningsOf(content)).warnings).toEqual(['warning: u.csv:2: name: is empty']);
    const list = '[{"userId":"a"},{"userId":"b","name":" "}]';
    expect((await warningsOf(list, { for: 'update' }, 'u.json')).warnings).toEqual([
      'warning: u.json:1:17: record 2: name: is empty',
    ]);
  });

  it('are summarized after the first ten of a kind, in each file', async () => {
    const content = `userId,email\n${Array.from({ length: 2_000 }, (_, at) => `u${at},x`).join('\n')}`;
    const { stdout, warnings } = await warningsOf(content);
    expect(stdout).toBe('u.csv: 2,000 users, no errors, 2,000 warnings\n');
    expect(warnings).toHaveLength(11);
    expect(warnings.at(-1)).toBe(
      'warning: u.csv: email: 1,990 more values are not valid email addresses',
    );
  });
});

describe('several files', () => {
  const files = {
    name: 'u.json',
    content: BROKEN,
    others: { 'v.csv': 'userId,name\n7,x\na,\n' },
  } as const;

  it('are checked together, and each finding names its file', async () => {
    const { stdout, error } = await validate(files);
    expect(stdout.split('\n').slice(2)).toEqual([
      "u.json:4: userId: 'a' is already on line 2",
      "v.csv:3: userId: 'a' is already on line 2 of u.json",
      '',
    ]);
    expect(error?.message).toBe('u.json, v.csv: 4 problems in 5 records');
    const github = await validate({ ...files, flags: { format: 'github' } });
    expect(github.stdout).toContain('::error file=v.csv,line=3,col=1::userId: ');
  });

  it('are named in the formats for programs', async () => {
    const { stdout } = await validate({ ...files, output: 'json' });
    const { findings, ...rest } = JSON.parse(stdout);
    expect(rest).toMatchObject({
      files: ['u.json', 'v.csv'],
      records: 5,
      warnings: [
        { file: 'u.json', line: 2 },
        { file: 'v.csv', line: 3, field: 'name' },
      ],
    });
    expect(findings.at(-1)).toMatchObject({ file: 'v.csv', line: 3, field: 'userId' });
    const csv = await validate({ ...files, output: 'csv' });
    expect(csv.stdout.split('\n')[0]).toMatch(/^file,line,/);
  });

  it('can all be valid', async () => {
    const { stdout, error } = await validate({
      name: 'u.ndjson',
      content: '{"userId":"a"}',
      others: { 'v.csv': 'userId\nb\n' },
    });
    expect([stdout, error]).toEqual(['u.ndjson, v.csv: 2 users, no problems found\n', undefined]);
  });
});

describe('records of every kind', () => {
  it.each<[string, string, ValidateFlags, string]>([
    ['documents', '[{"documentId":"d"},{}]', {}, 'documentId: is required'],
    ['folders', '[{"folderId":"f","accessType":"publik"}]', {}, 'accessType: did you mean public?'],
    ['organizations', '[{}]', {}, 'organizationId: is required'],
    ['groups', '[{"groupId":""}]', {}, 'groupId: is empty'],
    ['groups', '["u1", 2]', { for: 'add-users' }, 'userId: expected text, got a number'],
    ['activities', '[{"id":"a"}]', {}, 'featureType: is required'],
    ['activities', '[{"actionIcon":"star"}]', { for: 'update' }, 'id: is required'],
    ['presence', '[{"status":"away"}]', {}, 'userId: is required'],
    ['notifications', '[{"notifyUsers":[]}]', {}, 'actionUser: is required'],
    [
      'users',
      '[{"userId":"a","accessRole":"king"}]',
      { apiVersion: 'v2' },
      'accessRole: expected one of',
    ],
  ])('%s: %s', async (noun, content, flags, message) => {
    const { stdout, error } = await validate({ noun, name: 'r.json', content, flags });
    expect(stdout).toMatch(/^r\.json:1:(\d+: record \d:)? /);
    expect(stdout).toContain(` ${message}`);
    expect(error?.failure).toBe('invalid_input');
  });

  it('can have an ID or none if the service generates it', async () => {
    const content = '[{"featureType":"a","actionType":"b","actionUser":{"userId":"u"}}]';
    expect((await validate({ noun: 'activities', name: 'r.json', content })).error).toBeUndefined();
  });
});

describe('renamed columns', () => {
  const content = 'Kennung,Full name,notes\n1,Ada,x\n2,Bob,\n';
  const check = (...map: string[]) => validate({ name: 'u.csv', content, flags: { map } });

  it('are mapped to fields or dropped', async () => {
    const { stdout, stderr } = await check('Kennung=userId', 'Full name=name', 'notes=');
    expect([stdout, stderr]).toEqual(['u.csv: 2 users, no problems found\n', '']);
  });

  it.each([
    [['Kenung=userId'], "--map: u.csv has no column 'Kenung'", "did you mean 'Kennung'?"],
    [['Kennung'], "--map must be column=field, got 'Kennung'", "example: --map 'Full name=name'"],
    [['Kennung=userId', 'Kennung=name'], "--map contains the column 'Kennung' twice", undefined],
  ])('%s is a usage error', async (map, message, hint) => {
    const { error } = await check(...map);
    expect([error?.failure, error?.message, error?.hint]).toEqual(['usage', message, hint]);
  });

  it('cannot map to the same field', async () => {
    const { stdout } = await check('Kennung=userId', 'Full name=userId');
    expect(stdout).toBe("u.csv:1: the columns 'Kennung' and 'Full name' both map to 'userId'\n");
  });

  const JSON_TEXT = '[{"Kennung":"1","Full name":"Ada"},{"Kennung":"2","notes":"x"}]';

  it.each([
    ['u.json', JSON_TEXT],
    ['u.ndjson', '{"Kennung":"1","Full name":"Ada"}\n{"Kennung":"2","notes":"x"}\n'],
    ['u.yaml', '- Kennung: 1\n  Full name: Ada\n- {Kennung: 2, notes: x}\n'],
  ])('can be fields of %s', async (name, text) => {
    const map = ['Kennung=userId', 'Full name=name', 'notes='];
    const { stdout, stderr } = await validate({ name, content: text, flags: { map } });
    expect([stdout, stderr]).toEqual([`${name}: 2 users, no problems found\n`, '']);
  });

  it.each([
    [
      ['Kenung=userId'],
      "--map: no record in u.json has a field 'Kenung'",
      "did you mean 'Kennung'?",
    ],
    [
      ['Kennung=userId', 'rank=name'],
      "--map: no record in u.json has a field 'rank'",
      'known: Full name, notes',
    ],
  ])('%s is a usage error for records too', async (map, message, hint) => {
    const { error } = await validate({ name: 'u.json', content: JSON_TEXT, flags: { map } });
    expect([error?.failure, error?.message, error?.hint]).toEqual(['usage', message, hint]);
  });

  it('can be in only one of several files', async () => {
    const others = { 'v.ndjson': '{"userId":"3"}' };
    const flags = { map: ['Kennung=userId', 'Full name=name', 'notes='] };
    const { stdout } = await validate({ name: 'u.csv', content, others, flags });
    expect(stdout).toBe('u.csv, v.ndjson: 3 users, no problems found\n');
    const given = { name: 'u.json', content: JSON_TEXT, others: { 'v.csv': 'userId\n3\n' } };
    expect((await validate({ ...given, flags })).error).toBeUndefined();
    const { error } = await validate({ ...given, flags: { map: [...flags.map, 'Kenung=email'] } });
    expect(error?.message).toBe("--map: no record in u.json, v.csv has a field 'Kenung'");
  });

  it('cannot set the same field of a record twice', async () => {
    const content = '[{"userId":"1"},\n {"Login":"2","userId":"3"}]';
    const { stdout } = await validate({
      name: 'u.json',
      content,
      flags: { map: ['Login=userId'] },
    });
    expect(stdout).toBe("u.json:2:2: the fields 'Login' and 'userId' both map to 'userId'\n");
  });

  it('can be missing from an empty file', async () => {
    const { error } = await validate({ name: 'u.json', content: '[]', flags: { map: ['a=b'] } });
    expect(error).toBeUndefined();
  });
});

describe('the target of records', () => {
  const content =
    '[{"userId":"a","organizationId":"acme"},\n{"userId":"b","organizationId":"beta"},\n{"userId":"c"}]';
  const otherIs = (line: number, other: string, known: string) =>
    `u.json:${line}: organizationId: '${other}' differs from '${known}', the target of all records\n`;

  it('is named by all records or by none, unless the flag sets it', async () => {
    const alone = await validate({ name: 'u.json', content });
    const missing = 'u.json:3: organizationId: is required\n';
    expect([alone.stdout, alone.error?.failure]).toEqual([missing, 'invalid_input']);
    const flag = await validate({ name: 'u.json', content, flags: { org: 'beta' } });
    expect(flag.stdout).toBe(otherIs(1, 'acme', 'beta'));
    expect(flag.error?.hint).toContain('omit --org');
    const setting = await validate({ name: 'u.json', content, environment: { SVC_ORG: 'beta' } });
    expect(setting.stdout).toBe(missing);
    const late = await validate({
      name: 'u.ndjson',
      content: '{"userId":"a"}\n{"userId":"b","organizationId":"b"}\n',
    });
    expect(late.stdout).toBe('u.ndjson:2: organizationId: is missing in the first record\n');
  });

  it('can be a document or a folder, and is checked like a flag', async () => {
    const records = [{ documentId: 'd1' }, { documentId: 'd1', folderId: 'f1' }, { folderId: 7 }];
    const content = records
      .map((record, at) => `${JSON.stringify({ userId: `u${at}`, ...record })}\n`)
      .join('');
    const { stdout } = await validate({ name: 'u.ndjson', content });
    expect(stdout).toBe(
      'u.ndjson:2: folderId: specify documentId or folderId, not both\nu.ndjson:3: folderId: expected text, got a number: put it in quotes\n',
    );
  });

  it('is not checked if each record is a separate call', async () => {
    const hello = {
      actionUser: { userId: 'u1' },
      documentId: 'd1',
      displayHeadlineMessageTemplate: 'a',
    };
    const records = ['acme', 'beta'].map((organizationId) => ({
      ...hello,
      organizationId,
      displayBodyMessage: 'b',
      notifyUsers: [],
      notifyAll: true,
    }));
    const { error } = await validate({
      noun: 'notifications',
      name: 'n.json',
      content: JSON.stringify(records),
    });
    expect(error).toBeUndefined();
  });

  it('has a flag only for records with an organization', () => {
    const flagsOf = (noun: string) =>
      VALIDATE_COMMANDS.filter(({ command }) => command[0] === noun).flatMap(({ options = [] }) =>
        options.map(({ flags }) => flags),
      );
    expect(
      ['users', 'documents', 'presence'].every((noun) => flagsOf(noun).includes('--org <id>')),
    ).toBe(true);
    expect(
      ['organizations', 'notifications'].some((noun) => flagsOf(noun).includes('--org <id>')),
    ).toBe(false);
  });
});

describe('an empty file of NDJSON', () => {
  it.each(['', '\n', ' \n\n'])('has no records: %j', async (content) => {
    const { stdout, error } = await validate({ name: 'u.ndjson', content });
    expect([stdout, error]).toEqual(['u.ndjson: 0 users, no problems found\n', undefined]);
    const piped = await validate({ name: '-', content, flags: { inputFormat: 'ndjson' } });
    expect([piped.stdout, piped.error]).toEqual(['stdin: 0 users, no problems found\n', undefined]);
  });
});
