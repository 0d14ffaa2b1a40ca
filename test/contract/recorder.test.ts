import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { manifest } from '../../src/catalog/manifest.ts';
import { EMPTY_CONTRACT } from '../../src/contract/contract.ts';
import { formatContract, parseContract } from '../../src/contract/contract-file.ts';
import { mergeContracts } from '../../src/contract/merge.ts';
import { createRecorder } from '../../src/contract/recorder.ts';
import { createValidCalls } from '../service/valid-calls.ts';
import { SLOW } from '../slow.ts';
import { startRecordedWorld } from './recorded-world.ts';

const FOLDERS = '/v2/organizations/folders/get';

function exchange(path: string, body: unknown, httpStatus = 200, requestBody = '{"data":{}}') {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const header = () => undefined;
  return {
    path,
    requestBody,
    confirmed: false,
    response: {
      httpStatus,
      retryAfter: undefined,
      location: undefined,
      date: undefined,
      header,
      body: { text },
    },
  };
}

const success = (data: unknown, rest: object = {}) => ({
  result: { status: 'success', message: 'Folders retrieved successfully.', data, ...rest },
});

async function recorded(...exchanges: readonly ReturnType<typeof exchange>[]) {
  const recorder = createRecorder();
  for (const each of exchanges) recorder.record(each);
  return recorder.contract();
}

test('an outcome has the fields of all its responses, and says which are always present', async () => {
  const folder = { folderId: 'f1', parentFolderId: 'root', organizationId: 'acme' };
  const contract = await recorded(
    exchange(FOLDERS, success([{ ...folder, folderName: 'Plans' }, folder])),
    exchange(FOLDERS, success([{ ...folder, folderName: null, createdAt: 'now' }])),
  );
  const [outcome, ...others] = contract.operations.get('folders.list') ?? [];
  expect(others).toEqual([]);
  expect(outcome).toMatchObject({
    http: 200,
    envelope: 'result',
    status: 'success',
    seen: 2,
    messages: ['Folders retrieved successfully.'],
    always: { 'data[].folderId': 'string', 'data[].parentFolderId': 'string' },
    sometimes: { 'data[].folderName': 'null | string', 'data[].createdAt': 'string' },
  });
});

test('a folder in a folder is one record of the contract', async () => {
  const subFolders = [{ folderId: 'b', subFolders: [{ folderId: 'c', extra: 1 }] }];
  const contract = await recorded(exchange(FOLDERS, success([{ folderId: 'a', subFolders }])));
  const [outcome] = contract.operations.get('folders.list') ?? [];
  expect(outcome?.always).toMatchObject({ 'data[].folderId': 'string' });
  expect(outcome?.sometimes).toEqual({
    'data[].extra': 'number',
    'data[].subFolders': 'array',
  });
});

test.each([
  ['result', success([])],
  ['bare', { status: 'success', message: 'Folders retrieved successfully.', data: [] }],
  ['data', []],
  ['error', { error: { status: 'NOT_FOUND', message: 'Folder not found.' } }],
  ['none', '<html></html>'],
])('the envelope %s is recognized', async (envelope, body) => {
  const contract = await recorded(exchange(FOLDERS, body));
  expect(contract.operations.get('folders.list')).toMatchObject([{ envelope }]);
});

test('paged lists are recorded by the form of their cursor and their largest page', async () => {
  const path = '/v2/organizations/documents/get';
  const contract = await recorded(
    exchange(path, success([{ id: 'a' }, { id: 'b' }], { pageToken: 'next' })),
    exchange(path, success([{ id: 'c' }], { pageToken: null })),
  );
  expect(contract.operations.get('documents.list')).toMatchObject([
    { pages: { lastCursor: ['null'], nextCursor: ['string'], largestPage: 2 } },
  ]);
});

test('the states of each migration are recorded in order', async () => {
  const path = '/v2/organizations/documents/migrate/status';
  const states = ['pending', 'pending', 'in_progress', 'completed'];
  const contract = await recorded(
    ...states.map((status) => exchange(path, success({ migrationId: 'm1', status }))),
    exchange(path, success({ migrationId: 'm2', status: 'a secret' })),
  );
  expect(contract.operations.get('documents.migration-status')).toMatchObject([
    {
      sequences: ['(other)', 'pending > in_progress > completed'],
      values: { 'data.status': ['(other)', 'completed', 'in_progress', 'pending'] },
    },
  ]);
});

test('a path that is not an operation is counted, and nothing of it is kept', async () => {
  const contract = await recorded(exchange('/v2/acme/secret', success({ acme: 1 })));
  expect(contract).toEqual({ operations: new Map(), otherPaths: 1 });
});

test('recording never throws, whatever a body is', SLOW, async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.json()), fc.nat(600), async (text, http) => {
      const contract = await recorded(
        ...manifest.map(({ path }) => exchange(path, text, http, text)),
      );
      expect(contract.operations.size).toBeGreaterThan(0);
      expect(parseContract(formatContract(contract), 'contract.json')).toEqual(contract);
    }),
    { numRuns: 30 },
  );
});

test('merging is independent of the order and the grouping of exchanges', SLOW, async () => {
  const values = fc.option(fc.oneof(fc.string(), fc.integer(), fc.constant(null)), {
    nil: undefined,
  });
  const folder = fc.record({ folderId: fc.string(), folderName: values, createdAt: values });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(folder, { maxLength: 3 }), { minLength: 1, maxLength: 6 }),
      fc.nat(6),
      async (lists, at) => {
        const exchanges = lists.map((list) => exchange(FOLDERS, success(list)));
        const all = await recorded(...exchanges);
        const [head, tail] = [
          await recorded(...exchanges.slice(0, at)),
          await recorded(...exchanges.slice(at)),
        ];
        expect(formatContract(mergeContracts(head, tail))).toBe(formatContract(all));
        expect(formatContract(mergeContracts(tail, head))).toBe(formatContract(all));
        expect(mergeContracts(all, EMPTY_CONTRACT)).toEqual(all);
      },
    ),
    { numRuns: 50 },
  );
});

test('a fast job examines few of its confirmed responses, and counts all of them', async () => {
  let time = 0;
  const recorder = createRecorder(() => {
    time += 1;
    return time;
  });
  const body = success({ u1: { success: true, id: 'x', message: 'User added.' } });
  for (let at = 0; at < 1_000; at += 1)
    recorder.record({ ...exchange('/v1/users/add', body), confirmed: true });
  const [outcome] = (await recorder.contract()).operations.get('users.add') ?? [];
  expect(outcome?.seen).toBe(1_000);
  expect(outcome?.examined).toBeLessThan(50);
  expect(outcome?.always).toMatchObject({ 'data.*.success': 'boolean' });
});

const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toLowerCase(),
  (text) => text.toUpperCase(),
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => encodeURIComponent(text),
  (text) => [...text].toReversed().join(''),
  (text) => Buffer.from(text).toString('base64').replace(/=+$/, ''),
  (text) => Buffer.from(text).toString('base64url'),
  (text) => Buffer.from(` ${text}`).toString('base64').slice(2, -4),
  (text) => Buffer.from(`  ${text}`).toString('base64').slice(3, -4),
  (text) => Buffer.from(text).toString('hex'),
  (text) => Buffer.from(text, 'utf16le').toString('hex'),
  (text) => text.replaceAll(' ', '+'),
  (text) => encodeURIComponent(encodeURIComponent(text)),
  (text) => [...text].map((letter) => `&#${letter.codePointAt(0)};`).join(''),
  (text) => createHash('sha256').update(text).digest('hex'),
  (text) =>
    text.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
];

/** Values that nothing but a leak can bring into a file: names, IDs, and secrets. */
const PLANTED = [
  ...Array.from({ length: 10 }, (_, at) => `planted-id-${at}x7q`),
  ...Array.from({ length: 10 }, (_, at) => `Zebulon Quixworth${'abcdefghij'[at]}`),
  ...Array.from({ length: 10 }, (_, at) => `whsec_PLANTED${at}zKq8`),
  'plänted ünïcode',
  'Quixworth@example.com',
  'https://quixworth.example/hook?token=zz9',
  '7351928460137',
  'plantedFieldName',
  'PlantedWord',
  'quixworth_key',
  '"quoted" planted',
  '__proto__planted',
  'plantedzuser',
];

test('none of 40 planted values is in the file, in any encoding', SLOW, async () => {
  expect(PLANTED).toHaveLength(40);
  const at = (index: number) => PLANTED[index % PLANTED.length] ?? '';
  const recorder = createRecorder();
  for (const [index, entry] of manifest.entries()) {
    for (const shift of PLANTED.keys()) {
      const value = at(index + shift);
      const record = {
        id: value,
        name: at(shift + 1),
        status: value,
        type: at(shift + 2),
        code: value,
        [value]: { [at(shift + 3)]: value },
        [`${value} x`]: value,
      };
      const data = [value, record, [record], { [value]: record }, { agents: [record] }][shift % 5];
      const request = JSON.stringify({ data: { userId: value, users: [record] } });
      const text = (other: string) =>
        `User ${value} not found: '${other}' (${value}), ${at(shift + 4)}; ${other}`;
      recorder.record(exchange(entry.path, success(data, { [value]: value }), 200, request));
      recorder.record(
        exchange(
          entry.path,
          {
            error: {
              status: shift % 2 ? 'NOT_FOUND' : value,
              message: text(at(shift + 5)),
              details: { [value]: { success: false, message: value, code: value, id: value } },
            },
            [value]: value,
          },
          404,
          request,
        ),
      );
    }
  }
  recorder.record(exchange(`/v2/${at(0)}`, success(at(0))));
  const file = formatContract(await recorder.contract());
  const found = PLANTED.flatMap((value) =>
    FORMS.map((form) => form(value)).filter((form) => file.includes(form)),
  );
  expect(found).toEqual([]);
});

test(
  'the exchanges of every operation of a real service leave none of its values',
  SLOW,
  async () => {
    const world = await startRecordedWorld();
    const calls = await createValidCalls(world.service);
    for (const { name, path, auth } of manifest)
      await world.call(path, calls[name], auth === 'key' ? undefined : auth);
    const contract = await world.recorder.contract();
    expect([...contract.operations.keys()]).toHaveLength(manifest.length);
    const file = formatContract(contract);
    const values = Object.values(world.service.credentials);
    expect(values.filter((value) => file.includes(value))).toEqual([]);
  },
);
