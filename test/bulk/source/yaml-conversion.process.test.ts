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
`;
/** The meaning of these records in YAML, with the text of each unquoted value. */
const MEANING = [
  { id: '0123', name: 'no' },
  { id: '1e5', name: 'no' },
  { id: '12345678901234567890', name: null },
  { id: '2026-11-29', name: '1.10' },
  { id: 'u5', name: null },
];

/** A Python with a YAML parser. Debian's modules belong to Debian's Python. */
const python = ['python3', '/usr/bin/python3'].find(
  (program) => spawnSync(program, ['-c', 'import yaml']).status === 0,
);

it.skipIf(python === undefined)('a YAML file that is too large can be converted', async () => {
  const folder = await createTemporaryFolder();
  await writeFile(join(folder, "it's.yaml"), `${RECORDS}#${'x'.repeat(9_000_000)}\n`);
  const error = await readFileValues(join(folder, "it's.yaml")).catch((thrown) => thrown);
  const [, command = ''] = /^convert it to NDJSON: python3 (.*), or with/.exec(error.hint) ?? [];
  const { status, stderr } = spawnSync('sh', ['-c', `${python} ${command}`], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  const lines = (await readFile(join(folder, "it's.ndjson"), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(MEANING);
});
