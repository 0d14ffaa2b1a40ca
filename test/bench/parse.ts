/**
 * How fast inputs of records are read, as a ratio to the plainest reading of the same file in the
 * same run, and how much memory that takes for ten times as many. Each measurement is a process of
 * its own. Run it with `npm run bench:parse`.
 */
import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Papa from 'papaparse';
import { readCheckedRecords } from '../../src/bulk/checked-records.ts';
import { checkRecords } from '../../src/bulk/record-check.ts';
import type { RecordRules } from '../../src/bulk/record-checker.ts';
import { openInput } from '../../src/bulk/record-input.ts';
import { bulkFieldsOf } from '../../src/catalog/bulk-fields.ts';
import { users } from '../../src/catalog/users.ts';
import { type BenchFormat, writeUsers } from './bulk-inputs.ts';

const ROUNDS = 5;
const FEW = 100_000;
const MANY = 10 * FEW;

/** Gives the number of records in a file. */
type Reading = (path: string) => Promise<number>;

interface Measured {
  readonly seconds: number;
  readonly megabytes: number;
}

const fields = bulkFieldsOf(users['users.add']);
const { signal } = new AbortController();

const open = (path: string) =>
  openInput({
    files: [{ file: path }],
    cwd: '/',
    stdin: { stream: process.stdin },
    signal,
    spool: `${path}.spool`,
    listName: fields.listName,
    knownFields: fields.knownFields,
    targetFields: fields.targetFields,
    id: fields.id,
  });

const RULES: RecordRules = { fields, shared: {}, duplicates: 'fail', generateId: String };

async function readTwice(path: string, rules: RecordRules): Promise<number> {
  const input = await open(path);
  const surveyed = await checkRecords(input, rules, signal);
  let count = 0;
  for await (const { records } of readCheckedRecords(input, rules, surveyed)) {
    for (const { id, json } of records) if (id !== json) count += 1;
  }
  return count;
}

const READINGS: Readonly<Record<string, Reading>> = {
  /** Every value is parsed, none is kept. */
  svc: async (path) => {
    let count = 0;
    for (const file of (await open(path)).files) {
      for await (const block of (await file.open()).recordChunks) {
        for (const record of block) if (record.value !== null) count += 1;
      }
    }
    return count;
  },
  /** Both readings of a job: all records checked, then all of them made ready to be sent. */
  both: (path) => readTwice(path, { ...RULES, valueWarnings: 'add', countsValueWarnings: true }),
  /** Both readings without the check for suspicious values. */
  unsuspecting: (path) => readTwice(path, RULES),
  /** One JSON.parse of it all. */
  whole: async (path) => JSON.parse(await readFile(path, 'utf8')).length,
  /** One JSON.parse a line, after it was read as a whole. */
  lines: async (path) => {
    let count = 0;
    for (const line of (await readFile(path, 'utf8')).split('\n')) {
      if (line && JSON.parse(line) !== null) count += 1;
    }
    return count;
  },
  /** papaparse by chunks, with an object for each row. */
  papaparse: (path) =>
    new Promise((resolve, reject) => {
      let count = 0;
      Papa.parse(createReadStream(path, { encoding: 'utf8' }), {
        header: true,
        chunk: ({ data }) => {
          count += data.length;
        },
        complete: () => resolve(count),
        error: reject,
      });
    }),
};

const CASES: readonly (readonly [format: BenchFormat, plain: string | undefined, goal: number])[] =
  [
    ['ndjson', 'lines', 1],
    ['json', 'whole', 0.6],
    ['csv', 'papaparse', 0.9],
  ];

const [, , reading, path = '', expected = '0'] = process.argv;
if (reading) await report(READINGS[reading], path, Number(expected));
else await compareAll();

/** Prints the figures of a reading, in a process of its own. */
async function report(read: Reading | undefined, path: string, expected: number): Promise<void> {
  const begun = performance.now();
  const count = await read?.(path);
  const seconds = (performance.now() - begun) / 1000;
  if (count !== expected) throw new Error(`${path}: ${count} records instead of ${expected}`);
  console.log(JSON.stringify({ seconds, megabytes: process.resourceUsage().maxRSS / 1024 }));
}

async function compareAll(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-parse-'));
  console.log(`Node ${process.version}, ${MANY} users of 120 bytes, best of ${ROUNDS}`);
  try {
    for (const [format, plain, goal] of CASES) await compare(folder, format, plain, goal);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function compare(
  folder: string,
  format: BenchFormat,
  plain: string | undefined,
  goal: number,
): Promise<void> {
  const [few, many] = [join(folder, `few.${format}`), join(folder, `many.${format}`)];
  await writeUsers(few, format, FEW);
  await writeUsers(many, format, MANY);
  const names = ['svc', 'both', 'unsuspecting', ...(plain ? [plain] : [])];
  const rounds = Array.from({ length: ROUNDS }, () =>
    names.map((name) => measure(name, many, MANY)),
  );
  const best = (name: string): Measured => {
    const at = names.indexOf(name);
    const own = rounds.flatMap((round) => round[at] ?? []);
    return own.reduce((one, other) => (other.seconds < one.seconds ? other : one));
  };
  const [svc, both] = [best('svc'), best('both')];
  const memory = `${both.megabytes.toFixed(0)} MB, ${(both.megabytes / measure('both', few, FEW).megabytes).toFixed(2)}x that of ${FEW}`;
  const speed = (MANY / svc.seconds / 1e6).toFixed(2);
  console.log(
    `${format.padEnd(7)} ${speed} M/s parsed${plain ? ratio(svc, best(plain), plain, goal) : ''}`,
  );
  console.log(`${' '.repeat(8)}checked and read again in ${both.seconds.toFixed(2)} s; ${memory}`);
  const cost = (both.seconds / best('unsuspecting').seconds).toFixed(2);
  console.log(`${' '.repeat(8)}${cost}x the time without the check for suspicious values`);
}

function ratio(svc: Measured, plain: Measured, name: string, goal: number): string {
  const reached = (plain.seconds / svc.seconds).toFixed(2);
  return `, ${reached}x ${name} at ${plain.megabytes.toFixed(0)} MB (goal ${goal}x)`;
}

function measure(name: string, file: string, count: number): Measured {
  const words = [fileURLToPath(import.meta.url), name, file, String(count)];
  return JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8' }));
}
