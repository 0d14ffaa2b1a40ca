import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOME, run } from '../acceptance/svc.ts';

interface Finding {
  readonly category: string;
  readonly severity: string;
  readonly location: { readonly path: string };
}

/** Runs the linter of `npm run check` in a folder. */
async function lint(folder: string): Promise<readonly Finding[]> {
  const tool = join(HOME, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');
  const words = [tool, 'lint', '--reporter=json', '--max-diagnostics=none', '.'];
  const { stdout } = await run(words, { cwd: folder });
  return JSON.parse(stdout).diagnostics;
}

/** A file with a fault, and the rule that must detect it. */
const PLANTED = [
  { file: 'src/a.ts', code: 'export const id = process.pid;', rule: 'noRestrictedGlobals' },
  {
    file: 'src/kernel/b.ts',
    code: "import { pid } from 'node:process';\nexport const id = pid;",
    rule: 'noRestrictedImports',
  },
  { file: 'src/c.ts', code: "console.log('talk');", rule: 'noConsole' },
  {
    file: 'src/d.ts',
    code: 'export function d(run: () => void) {\n  try {\n    run();\n  } catch {}\n}',
    rule: 'noEmptyBlockStatements',
  },
  { file: 'src/e.ts', code: 'export const e = (value: any) => value;', rule: 'noExplicitAny' },
  {
    file: 'src/f.ts',
    code: 'export const f = (list: string[]) => list[0]!.length;',
    rule: 'noNonNullAssertion',
  },
  { file: 'src/g.ts', code: 'export default 1;', rule: 'noDefaultExport' },
  { file: 'src/h.ts', code: 'export const h = { a: 1, ...{ b: 2 } };', rule: 'plugin' },
  { file: 'src/i.ts', code: 'export const i = [1, ...[2, 3]];', rule: 'plugin' },
  { file: 'src/j.ts', code: 'export const j = 1 as unknown as string;', rule: 'plugin' },
];
const PLUGINS = ['test/architecture/plain-literals.grit', 'test/architecture/single-casts.grit'];
/** The files that may use `process`, which prove that the rule does not reject everything. */
const ALLOWED = ['src/main.ts', 'src/kernel/io.ts', 'src/kernel/process.ts'];

describe('the linter', () => {
  let folder: string;
  let findings: readonly Finding[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-lint-'));
    for (const name of ['biome.json', '.gitignore', ...PLUGINS]) {
      await cp(join(HOME, name), join(folder, name));
    }
    const allowed = ALLOWED.map((file) => ({ file, code: 'export const id = process.pid;' }));
    for (const { file, code } of [...PLANTED, ...allowed]) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), `${code}\n`);
    }
    findings = await lint(folder);
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each(PLANTED)('detects $rule', ({ file, rule }) => {
    const found = findings.filter(
      ({ location, severity }) => location.path === file && severity === 'error',
    );
    expect(found.map(({ category }) => category.split('/').at(-1))).toContain(rule);
  });

  it.each(ALLOWED)('allows %s to use process', (file) => {
    expect(findings.filter(({ location }) => location.path === file)).toEqual([]);
  });
});
