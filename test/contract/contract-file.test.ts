import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Contract, EMPTY_CONTRACT, type Outcome } from '../../src/contract/contract.ts';
import {
  addToContractFile,
  formatContract,
  parseContract,
  readContractFile,
} from '../../src/contract/contract-file.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { withLock } from '../../src/kernel/lock.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

const OUTCOME: Outcome = {
  http: 200,
  envelope: 'result',
  status: 'success',
  seen: 1,
  examined: 1,
  messages: ['Agents fetched successfully'],
  headers: [],
  always: { data: 'object', 'data.agents': 'array' },
  sometimes: { 'data.agents[].name': 'string' },
  values: { 'data.agents[].managedBy': ['customer'] },
};
const CONTRACT: Contract = { operations: new Map([['agents.list', [OUTCOME]]]), otherPaths: 2 };

async function newFile() {
  const folder = await createTemporaryFolder();
  const path = join(folder, 'contract.json');
  return {
    folder,
    path,
    name: 'contract.json',
    stateFolder: join(folder, 's'),
    clock: systemClock,
  };
}

test('a contract is read as it was written, with one line per field', () => {
  const text = formatContract(CONTRACT);
  expect(parseContract(text, 'contract.json')).toEqual(CONTRACT);
  expect(text.split('\n')).toContain('          "data.agents": "array"');
});

test('a contract has one form, whatever the order of its parts is', () => {
  const reordered: Contract = {
    otherPaths: 2,
    operations: new Map([
      ['agents.list', [{ ...OUTCOME, always: { 'data.agents': 'array', data: 'object' } }]],
    ]),
  };
  expect(formatContract(reordered)).toBe(formatContract(CONTRACT));
});

const valid = formatContract(CONTRACT);
test.each([
  ['an empty file', '', '1:1'],
  ['a truncated file', valid.slice(0, 40), '3:19'],
  ['a merge conflict', valid.replace('  "otherPaths"', '<<<<<<< main\n  "otherPaths"'), '3:1'],
  ['a list', '[]', '1:1'],
  ['no version', '{"operations":{}}', '1:1'],
  ['a newer version', valid.replace('"svcContract": 1', '"svcContract": 2'), '2:18'],
  ['an unknown operation', valid.replace('agents.list', 'agents.lost'), '5:20'],
  ['a text instead of a number', valid.replace('"http": 200', '"http": "200"'), '7:17'],
  ['an unknown envelope', valid.replace('"envelope": "result"', '"envelope": "x"'), '8:21'],
  ['a number instead of types', valid.replace('"data": "object"', '"data": 7'), '14:19'],
])('a damaged file is refused with its position: %s', (_, text, position) => {
  expect(() => parseContract(text, 'contract.json')).toThrow(
    expect.objectContaining({
      failure: 'invalid_input',
      message: expect.stringMatching(new RegExp(`^contract\\.json:${position}: .`)),
    }),
  );
});

test('recordings that end at the same time are all in the file', async () => {
  const file = await newFile();
  await Promise.all(Array.from({ length: 12 }, () => addToContractFile(file, CONTRACT)));
  const { operations, otherPaths } = await readContractFile(file.path, file.name);
  expect(operations.get('agents.list')?.[0]?.seen).toBe(12);
  expect(otherPaths).toBe(24);
  expect((await readdir(file.folder)).sort()).toEqual(['contract.json', 's']);
});

test('all names of a file share a lock, and a held lock refuses instead of losing', async () => {
  const file = await newFile();
  await addToContractFile(file, CONTRACT);
  const link = join(file.folder, 'link.json');
  await symlink(file.path, link);
  const locks = join(file.stateFolder, 'contracts');
  const [lock = ''] = (await readdir(locks)).filter((name) => name.endsWith('.lock'));
  let time = 0;
  const sleep = async () => {
    time += 1_000;
  };
  const clock = { now: () => time, sleep };
  await withLock(join(locks, lock), { clock: systemClock }, async () => {
    await expect(addToContractFile({ ...file, path: link, clock }, CONTRACT)).rejects.toMatchObject(
      {
        failure: 'locked',
      },
    );
  });
  expect(parseContract(await readFile(file.path, 'utf8'), 'x').otherPaths).toBe(2);
  await addToContractFile({ ...file, path: link }, CONTRACT);
  expect(parseContract(await readFile(file.path, 'utf8'), 'x').otherPaths).toBe(4);
});

test('a damaged file is never overwritten', async () => {
  const file = await newFile();
  await writeFile(file.path, '{"svcContract": 2}');
  await expect(addToContractFile(file, EMPTY_CONTRACT)).rejects.toMatchObject({
    failure: 'invalid_input',
  });
  expect(await readFile(file.path, 'utf8')).toBe('{"svcContract": 2}');
});
