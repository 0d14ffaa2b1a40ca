import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readFileValues } from '../../corpora/read-values.ts';
import { createTemporaryFolder } from '../../temporary-folder.ts';

const RECORDS = `records:
- &base
  id: 0123
  name: no
- <<: *base
  id: 1e5
- id: 12345678901234567890
  name: ~
- id: 2026-11-29
  name: 1.10
- {id: u5, name: }
- {id: 6, active: true, tags: [7], data: {count: 5, zip: 01234, text: "5", no: no, list: [True, {x: 1.50}]}}
`;
/** The meaning of these records in YAML 1.2, with the text of the unquoted numbers outside of objects. */
const MEANING = [
  { id: '0123', name: 'no' },
  { id: '1e5', name: 'no' },
  { id: '12345678901234567890', name: null },
  { id: '2026-11-29', name: '1.10' },
  { id: 'u5', name: null },
  {
    id: '6',
    active: true,
    tags: ['7'],
    data: { count: 5, zip: '01234', text: '5', no: 'no', list: [true, { x: 1.5 }] },
  },
];

/** A Python with a YAML parser. Debian's modules belong to Debian's Python. */
const python = ['python3', '/usr/bin/python3'].find(
  (program) => spawnSync(program, ['-c', 'import yaml']).status === 0,
);

async function convert(records: string) {
  const folder = await createTemporaryFolder();
  await writeFile(join(folder, "it's.yaml"), `${records}#${'x'.repeat(9_000_000)}\n`);
  const error = await readFileValues(join(folder, "it's.yaml")).catch((thrown) => thrown);
  const [, command = ''] = /^convert it to NDJSON: python3 (.*), or with/.exec(error.hint) ?? [];
  const { status, stderr } = spawnSync('sh', ['-c', `${python} ${command}`], { encoding: 'utf8' });
  return { status, stderr, text: await readFile(join(folder, "it's.ndjson"), 'utf8') };
}

it.skipIf(python === undefined)('a YAML file that is too large can be converted', async () => {
  const { status, stderr, text } = await convert(RECORDS);
  expect([status, stderr]).toEqual([0, '']);
  const lines = text.trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(MEANING);
});

it.skipIf(python === undefined)('the conversion of YAML loses no repeated field', async () => {
  const { status, stderr, text } = await convert('records:\n- {id: u1, name: a, name: b}\n');
  expect([status, text]).toEqual([1, '']);
  expect(stderr).toMatch(/^a field occurs twice .*line 2, column 3/s);
});
