import { describe, expect, it } from 'vitest';
import { SvcError } from '../../src/kernel/errors.ts';
import { FORMATS } from '../../src/output/format.ts';
import { pagesOf, printedRecords, printedValue, writes } from './printed.ts';

const records = [
  { id: 'd1', owner: { email: 'ada@example.com', name: 'Ada' }, parts: [{ n: 1, m: 2 }, { n: 3 }] },
  { id: 'd2', triggers: { 'comment.add': true, comment: { add: 'other' } } },
];

describe('--fields', () => {
  it('selects and orders fields, and keeps their nesting', async () => {
    expect(
      await printedRecords('ndjson', records, {}, { fields: ['owner.email', 'id', 'parts.n'] }),
    ).toBe(
      '{"owner":{"email":"ada@example.com"},"id":"d1","parts":[{"n":1},{"n":3}]}\n{"owner":null,"id":"d2","parts":null}\n',
    );
  });

  it('follows names that contain dots', async () => {
    expect(
      await printedRecords('ndjson', [records[1]], {}, { fields: ['triggers.comment.add'] }),
    ).toBe('{"triggers":{"comment.add":true}}\n');
  });

  it('selects in every format', async () => {
    const printOptions = { fields: ['owner.email', 'id'] };
    expect(await printedRecords('table', records, {}, printOptions)).toBe(
      'OWNER.EMAIL      ID\nada@example.com  d1\n                 d2\n',
    );
    expect(await printedRecords('csv', records, {}, printOptions)).toBe(
      'owner.email,id\r\nada@example.com,d1\r\n,d2\r\n',
    );
    expect(await printedRecords('yaml', records, {}, printOptions)).toBe(
      '- owner:\n    email: ada@example.com\n  id: d1\n- owner: null\n  id: d2\n',
    );
    expect(JSON.parse(await printedRecords('json', records, {}, printOptions))).toEqual([
      { owner: { email: 'ada@example.com' }, id: 'd1' },
      { owner: null, id: 'd2' },
    ]);
    expect(await printedValue('table', records[0], {}, printOptions)).toBe(
      'owner.email  ada@example.com\nid           d1\n',
    );
  });

  it('accepts table headers and JSON names in any case; an exact JSON name wins', async () => {
    const columns = [
      { header: 'NAME', field: 'documentName' },
      { header: 'NEXT ATTEMPT', field: 'nextAttempt' },
    ] as const;
    const list = [{ documentName: 'Plan', nextAttempt: 5, folderId: 'f1' }];
    const select = (given: readonly unknown[], ...fields: string[]) =>
      printedRecords('ndjson', given, { columns }, { fields });
    expect(await select(list, 'name', 'Next Attempt', 'DOCUMENTNAME', 'folder id')).toBe(
      '{"documentName":"Plan","nextAttempt":5,"folderId":"f1"}\n',
    );
    expect(await select([{ name: 'own' }], 'name')).toBe('{"name":"own"}\n');
    expect(await select([], 'name')).toBe('');
    expect(await printedValue('json', records[0], {}, { fields: ['OWNER.EMAIL', 'ID'] })).toBe(
      `${JSON.stringify({ owner: { email: 'ada@example.com' }, id: 'd1' }, null, 2)}\n`,
    );
    await expect(select(list, 'nxt attempt')).rejects.toMatchObject({
      hint: "did you mean 'nextAttempt'?",
    });
    await expect(select(list, 'nme')).rejects.toMatchObject({ hint: "did you mean 'name'?" });
  });

  it('selects the rows of a table if they have more fields than the records', async () => {
    const shape = {
      table: { rows: [{ id: 'a', count: 2 }], columns: [{ header: 'COUNT', field: 'count' }] },
    };
    const print = (format: 'table' | 'json' | 'csv', fields?: readonly string[]) =>
      printedValue(format, [{ id: 'a', tries: [1, 2] }], shape, fields ? { fields } : {});
    expect(await print('table')).toBe('COUNT\n2\n');
    expect(await print('csv')).toBe('id,tries\r\na,"[1,2]"\r\n');
    expect(JSON.parse(await print('json', ['count', 'tries']))).toEqual([
      { count: 2, tries: [1, 2] },
    ]);
  });

  it("keeps the operation's header of a field", async () => {
    const columns = [{ header: 'DOCUMENT', field: 'id', kind: 'whole' }] as const;
    expect(await printedRecords('table', records, { columns }, { fields: ['id'] })).toBe(
      'DOCUMENT\nd1\nd2\n',
    );
  });

  it.each(FORMATS)(
    'rejects a field that no record has, in %s, before any output',
    async (format) => {
      const written: string[] = [];
      const run = writes(format, { fields: ['id', 'ownr'] }, (printer) =>
        printer.records(pagesOf([], records), {}),
      ).then((texts) => written.push(...texts));
      const refusal = await run.catch((error: unknown) => error);
      expect(refusal).toBeInstanceOf(SvcError);
      expect(refusal).toMatchObject({
        failure: 'usage',
        message: "--fields: no field 'ownr' in the result",
        hint: "did you mean 'owner'?",
      });
      expect(written).toEqual([]);
    },
  );

  it('warns about a field that a single result lacks, after printing it', async () => {
    const heard: string[] = [];
    const warn = async (text: string) => void heard.push(text);
    const value = { id: 'a', owner: { email: 'a@b' }, none: null };
    for (const fields of [['id', 'none'], ['owner.emial'], ['ownerEmail'], ['frobnicate']])
      await printedValue('json', value, {}, { fields, warn });
    expect(heard).toEqual([
      "--fields: no field 'owner.emial' in the result; did you mean 'owner.email'?",
      "--fields: no field 'ownerEmail' in the result; did you mean 'owner.email'?",
      "--fields: no field 'frobnicate' in the result",
    ]);
  });

  it('suggests fields inside objects', async () => {
    await expect(
      printedRecords('json', records, {}, { fields: ['owner.emial'] }),
    ).rejects.toMatchObject({
      hint: "did you mean 'owner.email'?",
    });
  });

  it('accepts a column that is empty on the first page, and any field for an empty list', async () => {
    const columns = [{ header: 'NAME', field: 'documentName' }];
    expect(
      await printedRecords('ndjson', [{ id: 'd1' }], { columns }, { fields: ['documentName'] }),
    ).toBe('{"documentName":null}\n');
    expect(await printedRecords('json', [], {}, { fields: ['anything'] })).toBe('[]\n');
  });

  it('prints a single result anyway, because the write may have happened', async () => {
    expect(await printedValue('json', { token: 't' }, {}, { fields: ['tokn'] })).toBe(
      '{\n  "tokn": null\n}\n',
    );
  });

  it('treats names such as constructor as field names', async () => {
    const record = JSON.parse('{"__proto__":{"id":"p"},"constructor":"c"}');
    expect(
      await printedRecords('ndjson', [record], {}, { fields: ['__proto__.id', 'constructor'] }),
    ).toBe('{"__proto__":{"id":"p"},"constructor":"c"}\n');
    await expect(
      printedRecords('ndjson', [{ id: 1 }], {}, { fields: ['constructor'] }),
    ).rejects.toThrow('no field');
  });
});

describe('secrets', () => {
  const SECRET = 'sk-0123456789abcdefghij';
  const value = {
    id: 'w1',
    authToken: SECRET,
    keys: { k1: { token: SECRET }, k2: { token: '' } },
    list: [{ token: 'short' }],
  };
  const secrets = [
    ['authToken'],
    ['keys', '*', 'token'],
    ['list', '*', 'token'],
    ['absent', 'token'],
  ];

  it.each(FORMATS)('are masked in %s, in one value and in records', async (format) => {
    const ofValue = await printedValue(format, value, { secrets });
    const ofRecords = await printedRecords(format, [value], {
      secrets: secrets.map((path) => ['*', ...path]),
    });
    for (const text of [ofValue, ofRecords]) {
      expect(text).not.toContain(SECRET.slice(0, -4));
      expect(text).not.toContain('short');
      // Markdown escapes the mask.
      expect(text.replaceAll('\\', '')).toContain('****ghij');
    }
  });

  it.each(FORMATS)('are shown in %s when asked for', async (format) => {
    expect(await printedValue(format, value, { secrets }, { showSecrets: true })).toContain(SECRET);
  });

  it('are masked inside an envelope, and only at their paths', async () => {
    const envelope = { status: 'success', data: { ...value, name: SECRET.slice(0, 5) } };
    const text = await printedValue('json', envelope, {
      secrets: secrets.map((path) => ['data', ...path]),
    });
    expect(JSON.parse(text)).toEqual({
      status: 'success',
      data: {
        id: 'w1',
        authToken: '****ghij',
        keys: { k1: { token: '****ghij' }, k2: { token: '' } },
        list: [{ token: '****' }],
        name: SECRET.slice(0, 5),
      },
    });
  });

  it('are masked if they are not text, and absent ones stay absent', async () => {
    const shape = { secrets: [['a'], ['b'], ['c']] };
    expect(await printedValue('ndjson', { a: 12345, b: { c: SECRET }, c: null }, shape)).toBe(
      '{"a":"****","b":"****","c":null}\n',
    );
  });

  it('are masked before fields are selected', async () => {
    expect(await printedValue('ndjson', value, { secrets }, { fields: ['keys.k1.token'] })).toBe(
      '{"keys":{"k1":{"token":"****ghij"}}}\n',
    );
  });

  it('keep an ID named __proto__', async () => {
    const reply = JSON.parse('{"__proto__":{"token":"abcd"}}');
    expect(await printedValue('ndjson', reply, { secrets: [['*', 'token']] })).toBe(
      '{"__proto__":{"token":"****"}}\n',
    );
  });
});

it('an empty list has the header of its table in CSV, and none in a table', async () => {
  const shape = { table: { rows: [], columns: [{ header: 'USER', field: 'userId' }] } } as const;
  expect(await printedValue('csv', [], shape)).toBe('userId\r\n');
  expect(await printedValue('table', [], shape)).toBe('');
  expect(await printedValue('json', [], shape)).toBe('[]\n');
});

it('--quiet does not affect the result', async () => {
  expect(await printedValue('json', { id: 'd1' }, {}, { quiet: true })).toBe(
    await printedValue('json', { id: 'd1' }),
  );
});

it('a failing sink ends printing with its error', async () => {
  const { createPrinter } = await import('../../src/output/printer.ts');
  const { Writable } = await import('node:stream');
  const full = new SvcError('local', 'the disk is full');
  const sink = {
    isTerminal: false,
    columns: undefined,
    stream: new Writable(),
    write: () => Promise.reject(full),
  };
  const printer = createPrinter(sink, {
    format: 'ndjson',
    headers: true,
    quiet: false,
    showSecrets: false,
    color: false,
  });
  await expect(printer.records(pagesOf([1], [2]), {})).rejects.toBe(full);
});

describe('a long list in one page', () => {
  const long = Array.from({ length: 2_500 }, (_, at) => ({ id: `d${at}` }));
  const columns = [{ header: 'ID', field: 'id' }];

  it.each(FORMATS)('can be interrupted while it is printed as %s', async (format) => {
    const controller = new AbortController();
    let count = 0;
    const onWrite = () => {
      count += 1;
      setImmediate(() => controller.abort(new SvcError('interrupted', 'ended')));
      // Output that blocks for longer than a time slice.
      for (const end = performance.now() + 25; performance.now() < end; );
    };
    const run = writes(format, { signal: controller.signal, onWrite }, (printer) =>
      printer.records(pagesOf(long), { columns }),
    );
    await expect(run).rejects.toThrow('ended');
    // Some formats write their header first.
    expect(count).toBeLessThanOrEqual(2);
  });

  it('is printed completely after an interruption, as the result of what was done', async () => {
    const signal = AbortSignal.abort(new SvcError('interrupted', 'ended'));
    const text = await printedRecords('ndjson', long, {}, { signal });
    expect(text.split('\n')).toHaveLength(long.length + 1);
  });
});
