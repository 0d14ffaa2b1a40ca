import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { commandReference } from './docs/generate/commands.ts';
import { manualPages } from './docs/generate/man.ts';
import { screensPage } from './docs/generate/screens.ts';
import { manifest, type OperationEntry } from './src/catalog/manifest.ts';
import { completionScript } from './src/commands/shells/script.ts';
import { SCRIPT_FILES, SHELLS } from './src/commands/shells/shells.ts';
import { loadHandlers } from './src/service/handlers/index.ts';

/** Where an operation is done and where that is tried. */
export interface Evidence {
  readonly entry: Pick<OperationEntry, 'name' | 'resource' | 'command' | 'path' | 'version' | 'auth' | 'effect'>;
  readonly hasHandler: boolean;
  /** A test file that calls its path. */
  readonly test: string | undefined;
}

const TABLE = 'docs/operations.md';
const COMMAND = 'npm run generate';

/** What each operation of the catalog has. `tests` are the texts of the service's test files by path. */
export async function evidence(tests: ReadonlyMap<string, string>): Promise<readonly Evidence[]> {
  const calls = new Map([...tests].map(([file, source]) => [file, calledPaths(source)]));
  return Promise.all(
    manifest.map(async (entry) => ({
      entry,
      hasHandler: Object.hasOwn(await loadHandlers(entry.resource), entry.name),
      test: [...tests.keys()]
        .filter((file) => calls.get(file)?.has(entry.path))
        .sort((a, b) => rank(a, entry.resource) - rank(b, entry.resource) || a.localeCompare(b, 'en'))[0],
    })),
  );
}

/** Tests written from the interface's text say most about an operation, then those of its resource. */
function rank(file: string, resource: string): number {
  const name = basename(file);
  if (name.startsWith('golden')) return 0;
  return name === `${resource}.test.ts` ? 1 : 2;
}

/** The paths of calls in a source text, those that begin with a constant included: `${ENDPOINTS}/get`. */
function calledPaths(source: string): ReadonlySet<string> {
  const constants = new Map(
    Array.from(source.matchAll(/const (\w+) = '(\/v\d[^']*)'/g), ([, name = '', value = '']) => [name, value]),
  );
  const filled = source.replace(/\$\{(\w+)\}/g, (whole, name: string) => constants.get(name) ?? whole);
  return new Set(Array.from(filled.matchAll(/['`](\/v\d[\w/]*)['`]/g), ([, path = '']) => path));
}

/** What keeps the table from being whole, a line each. */
export function gaps(all: readonly Evidence[]): readonly string[] {
  return all.flatMap(({ entry: { name }, hasHandler, test }) => [
    ...(hasHandler ? [] : [`${name} has no handler in the service`]),
    ...(test ? [] : [`${name} has no test that calls its path`]),
  ]);
}

export function operationsTable(all: readonly Evidence[]): string {
  const rows = all.map(({ entry: { name, resource, path, auth, effect, ...entry }, test = '' }) => [
    `\`${name}\``,
    `\`${commandOf(entry, all)}\``,
    `\`${path}\``,
    auth,
    effect,
    link(`src/service/handlers/${resource}.ts`),
    link(test),
  ]);
  const lines = [HEAD, HEAD.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `# Operations\n\n${INTRODUCTION}\n\n${lines.join('\n')}\n`;
}

const HEAD = ['operation', 'command', 'path', 'credentials', 'effect', 'handler', 'test'];
const INTRODUCTION = `Every operation of the interface: its command, and where the embedded service does it and is tried on it. Written by
\`${COMMAND}\`; \`svc schema <operation>\` shows what each takes and answers, \`svc commands -o json\` every flag.`;

/** A later version of a command is chosen by a flag. */
function commandOf(
  { command, version }: Pick<Evidence['entry'], 'command' | 'version'>,
  all: readonly Evidence[],
): string {
  const words = command.join(' ');
  const first = all.find(({ entry }) => entry.command.join(' ') === words);
  return first?.entry.version === version ? `svc ${words}` : `svc ${words} --api-version ${version}`;
}

function link(path: string): string {
  return `[${basename(path)}](../${path})`;
}

export function serviceTests(home = import.meta.dirname): ReadonlyMap<string, string> {
  const files = globSync('test/service/**/*.test.ts', { cwd: home }).map((path) => path.replaceAll('\\', '/'));
  return new Map(files.sort().map((path) => [path, readFileSync(join(home, path), 'utf8')]));
}

/** Every file that is generated, by its path. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    [TABLE, operationsTable(await evidence(serviceTests()))],
    ['docs/commands.md', await commandReference()],
    ['docs/screens.md', await screensPage()],
    ...[...(await manualPages())].map(([name, page]) => [`docs/man/${name}`, page] as const),
    ...SHELLS.map((shell) => [`completions/${SCRIPT_FILES[shell]}`, completionScript(shell)] as const),
  ]);
}

/** Writes the files, or with `--check` says which of the written ones are out of date. */
async function main(words: readonly string[]): Promise<number> {
  const missing = gaps(await evidence(serviceTests()));
  for (const gap of missing) console.error(gap);
  if (missing.length > 0) return 1;
  const files = [...(await generatedFiles())];
  if (!words.includes('--check')) {
    for (const [path, text] of files) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    return 0;
  }
  const stale = files.filter(([path, text]) => globSync(path).length === 0 || readFileSync(path, 'utf8') !== text);
  for (const [path] of stale) console.error(`${path} is out of date: ${COMMAND}`);
  return stale.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
