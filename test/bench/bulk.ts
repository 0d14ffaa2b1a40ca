/**
 * The cost of sending many records with everything that svc does for them: validation of the
 * whole file, journal, limiter. All against one service as a process of its own (bulk-mock.ts). Run
 * it with `npm run bench:bulk`, whole or in parts:
 *
 * npm run bench:bulk -- throughput|dry|link|growth|memory|files|organizations|shards|recording…
 * --users 1000000 --formats ndjson,json,csv --rounds 3
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { type BenchFormat, INPUT_FORMATS, writeMixedUsers, writeUsers } from './bulk-inputs.ts';
import { type Run, timedRun } from './timed-run.ts';

const PARTS = [
  'throughput',
  'dry',
  'link',
  'growth',
  'memory',
  'files',
  'organizations',
  'shards',
  'recording',
] as const;
type Part = (typeof PARTS)[number];

const PLAIN_IN_FLIGHT = [8, 16, 32];
const LINK_MILLISECONDS = 20;
const LOOP_USERS = 20_000;
/** Files that the same users are split into, of all formats in turn. */
const FILES = 20;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    users: { type: 'string', default: '1000000' },
    formats: { type: 'string', default: INPUT_FORMATS.join() },
    rounds: { type: 'string', default: '3' },
  },
});
const users = Number(values.users);
const rounds = Number(values.rounds);
const formats = values.formats.split(',') as BenchFormat[];
const parts = positionals.length > 0 ? (positionals as Part[]) : PARTS;

const written = new Map<string, Promise<void>>();
const home = mkdtempSync(join(tmpdir(), 'svc-bulk-'));
const RUNS: Record<Part, () => Promise<void>> = {
  throughput,
  dry,
  link,
  growth,
  memory,
  files,
  organizations,
  shards,
  recording,
};
try {
  for (const part of parts) await RUNS[part]();
} finally {
  rmSync(home, { recursive: true });
}

async function throughput(): Promise<void> {
  const [service, file] = [await startService(0), await input('ndjson', users)];
  const [plain, svc]: [Run[], Run[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    for (const inFlight of PLAIN_IN_FLIGHT) plain.push(await plainRun(service.url, file, inFlight));
    svc.push(await svcRun(service.url, file));
  }
  service.child.kill();
  const [floor, reached] = [quickest(plain), quickest(svc)];
  say(`plain client, ${users} users`, figureOf(floor));
  say(
    'svc users add, checked, with its journal',
    figureOf(reached),
    `${ratio(floor.seconds, reached.seconds)}x  (goal 0.60x)`,
  );
}

/** A dry run, which checks more than an import, against the import in processor time. */
async function dry(): Promise<void> {
  const [service, file] = [await startService(0), await input('ndjson', users)];
  const [imports, dryRuns]: [Run[], Run[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    imports.push(await svcRun(service.url, file));
    dryRuns.push(await svcRunWith(['--org', 'acme', '--dry-run'], service.url, file));
  }
  service.child.kill();
  const [sent, checked] = [imports, dryRuns].map((runs) => Math.min(...runs.map(workOfRun)));
  say(
    `dry run of ${users} users`,
    `${checked?.toFixed(2)} s cpu, import ${sent?.toFixed(2)} s cpu`,
    `${ratio(checked ?? 0, sent ?? 0)}x  (goal 0.70x)`,
  );
}

async function link(): Promise<void> {
  const service = await startService(LINK_MILLISECONDS);
  const loop = await plainRun(service.url, await input('ndjson', LOOP_USERS), 1);
  const svc = await svcRun(service.url, await input('ndjson', users));
  service.child.kill();
  const [one, many] = [LOOP_USERS / loop.seconds, users / svc.seconds];
  say(`one batch after another, ${LINK_MILLISECONDS} ms away`, `${Math.round(one)} users/s`);
  say('svc users add', `${Math.round(many)} users/s`, `${(many / one).toFixed(1)}x  (goal 20x)`);
}

async function growth(): Promise<void> {
  const service = await startService(0);
  const seconds: number[] = [];
  for (const count of [users / 10, users]) {
    const file = await input('ndjson', count);
    const runs: Run[] = [];
    for (let round = 0; round < rounds; round += 1) runs.push(await svcRun(service.url, file));
    seconds.push(quickest(runs).seconds);
  }
  service.child.kill();
  const [tenth = 0, all = 0] = seconds;
  say(
    `${users} users against a tenth of them`,
    `${all.toFixed(2)} s`,
    `${ratio(all, tenth)}x  (goal 10.50x)`,
  );
}

async function memory(): Promise<void> {
  const service = await startService(0);
  for (const format of formats) {
    const peaks: number[] = [];
    for (const count of [users / 10, users])
      peaks.push((await svcRun(service.url, await input(format, count))).megabytes);
    const [tenth = 0, all = 0] = peaks;
    const figure = `${all.toFixed(0)} MB, a tenth ${tenth.toFixed(0)} MB`;
    say(
      `peak, ${users} users as ${format}`,
      figure,
      `${ratio(all, tenth)}x  (goals 256 MB, 1.30x)`,
    );
  }
  service.child.kill();
}

async function files(): Promise<void> {
  const service = await startService(0);
  const [one, many]: [Run[], Run[]] = [[], []];
  const whole = await Promise.all(formats.map((format) => input(format, users / formats.length)));
  const split = await splitInputs(users);
  for (let round = 0; round < rounds; round += 1) {
    for (const file of whole) one.push(await svcRun(service.url, file));
    many.push(await svcRun(service.url, ...split));
  }
  const tenth = await svcRun(service.url, ...(await splitInputs(users / 10)));
  service.child.kill();
  const alone = whole.map((_, at) => quickest(one.filter((__, run) => run % whole.length === at)));
  const apart = alone.reduce((sum, { seconds }) => sum + seconds, 0);
  const together = quickest(many);
  say(`${users} users in ${FILES} files of ${formats.join()}`, figureOf(together));
  say(
    'against a run for each format',
    `${apart.toFixed(2)} s`,
    `${ratio(apart, together.seconds)}x as fast`,
  );
  const peak = `${together.megabytes.toFixed(0)} MB, a tenth ${tenth.megabytes.toFixed(0)} MB`;
  say('peak', peak, `${ratio(together.megabytes, tenth.megabytes)}x  (goals 256 MB, 1.30x)`);
}

async function organizations(): Promise<void> {
  const service = await startService(0);
  const path = join(home, 'mixed.csv');
  const minimum = await writeMixedUsers(path, users, users / 20);
  const one = await svcRun(service.url, await input('csv', users));
  const many = await svcRunWith([], service.url, path);
  service.child.kill();
  say(
    `${users} users over ${users / 20} organizations`,
    `${many.requests} requests`,
    `${ratio(many.requests, minimum)}x  (goal 1.20x)`,
  );
  const figure = `${many.megabytes.toFixed(0)} MB, one target ${one.megabytes.toFixed(0)} MB`;
  say('peak', figure, `${ratio(many.megabytes, one.megabytes)}x  (goal 1.30x)`);
  say('time', `${many.seconds.toFixed(1)} s, one target ${one.seconds.toFixed(1)} s`);
}

/**
 * One run against one of the machines that divide the records: each reads the whole file, and sends
 * its shard.
 */
async function shards(): Promise<void> {
  const service = await startService(0);
  const file = await input('ndjson', users);
  const whole = await svcRun(service.url, file);
  say(`${users} users on one machine`, figureOf(whole));
  for (const count of [2, 4]) {
    const run = await svcRunWith(['--org', 'acme', '--shard', `1/${count}`], service.url, file);
    say(
      `a shard of ${count}`,
      `${run.seconds.toFixed(1)} s`,
      `${ratio(whole.seconds, run.seconds)}x as fast`,
    );
  }
  service.child.kill();
}

/**
 * Measures the cost of recording the shapes of a job's exchanges: pairs of runs, without and with,
 * in alternating order. Compares the least disturbed run of each kind.
 */
async function recording(): Promise<void> {
  const service = await startService(0);
  const line = svcLine(['--org', 'acme'], service.url, [await input('ndjson', users)]);
  const variables = { SVC_CONTRACT: join(home, 'contract.json') };
  await timedRun(line, home, variables);
  const [without, recorded]: [Run[], Run[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const pair = [
      async () => void without.push(await timedRun(line, home)),
      async () => void recorded.push(await timedRun(line, home, variables)),
    ];
    for (const run of round % 2 === 0 ? pair : pair.toReversed()) await run();
  }
  service.child.kill();
  for (const [name, measure] of [
    ['user cpu', ({ userWork }: Run) => userWork],
    ['time', ({ seconds }: Run) => seconds],
  ] as const) {
    const [plain, cost] = [without, recorded].map((runs) => Math.min(...runs.map(measure)));
    if (plain === undefined || cost === undefined) continue;
    say(
      `SVC_CONTRACT, ${users} users, ${rounds} pairs: ${name}`,
      `${cost.toFixed(2)} s, without ${plain.toFixed(2)} s`,
      `${(cost / plain).toFixed(3)}x  (goal 1.020x)`,
    );
  }
}

/** Paths of files that hold so many users together, none of them twice. */
async function splitInputs(count: number): Promise<readonly string[]> {
  const each = count / FILES;
  const paths: string[] = [];
  for (let at = 0; at < FILES; at += 1) {
    const format = formats[at % formats.length] ?? 'ndjson';
    const path = join(home, `${count}-${at}.${format}`);
    await writeUsers(path, format, each, at * each);
    paths.push(path);
  }
  return paths;
}

/** The path of so many users in a format, written when first asked for. */
async function input(format: BenchFormat, count: number): Promise<string> {
  const path = join(home, `${count}.${format}`);
  const known = written.get(path) ?? writeUsers(path, format, count);
  written.set(path, known);
  await known;
  return path;
}

interface Service {
  readonly child: ChildProcess;
  readonly url: string;
}

async function startService(delay: number): Promise<Service> {
  const mock = join(import.meta.dirname, 'bulk-mock.ts');
  const child = spawn(process.execPath, [mock, '--delay', String(delay)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface(child.stdout), 'line');
  return { child, ...JSON.parse(line) };
}

function plainRun(url: string, file: string, inFlight: number): Promise<Run> {
  return timedRun(
    [join(import.meta.dirname, 'plain-client.ts'), url, file, String(inFlight)],
    home,
  );
}

function svcRun(url: string, ...paths: readonly string[]): Promise<Run> {
  return svcRunWith(['--org', 'acme'], url, ...paths);
}

function svcRunWith(
  target: readonly string[],
  url: string,
  ...paths: readonly string[]
): Promise<Run> {
  return timedRun(svcLine(target, url, paths), home);
}

function svcLine(target: readonly string[], url: string, paths: readonly string[]) {
  const svc = join(import.meta.dirname, '..', '..', 'bin', 'svc.js');
  const given = paths.flatMap((path) => ['--file', path]);
  return [svc, 'users', 'add', ...target, ...given, '--base-url', url, '-o', 'json'];
}

function say(what: string, figure: string, judged = ''): void {
  console.log(`${what.padEnd(44)} ${figure.padStart(30)}  ${judged}`.trimEnd());
}

function figureOf({ seconds, work }: Run): string {
  return `${Math.round(users / seconds)} users/s (${work.toFixed(2)} s cpu)`;
}

function workOfRun({ work }: Run): number {
  return work;
}

/** On a machine that others use too, the least disturbed. */
function quickest(runs: readonly Run[]): Run {
  return runs.reduce((best, run) => (run.seconds < best.seconds ? run : best));
}

function ratio(one: number, other: number): string {
  return (one / other).toFixed(2);
}
