import { existsSync, globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readResults } from '../../docs/generate/results.ts';
import { FAILURES } from '../../src/kernel/errors.ts';
import { HOME } from '../acceptance/svc.ts';

const TOP_LEVEL = '(?:src|test|bin|docs|examples|packaging|completions|\\.ci)';

/**
 * Returns the project paths in the inline code of a Markdown text: `src/main.ts`, `src/kernel/`,
 * `biome.json`.
 */
function pathsIn(markdown: string): string[] {
  const quoted = Array.from(markdown.matchAll(/`([^`\n]+)`/g), ([, code = '']) => code);
  const isPath = new RegExp(
    `^(?:${TOP_LEVEL}(?:/[\\w.-]+)*/?|\\.?[\\w-]+(?:\\.[\\w-]+)*\\.(?:md|json|ts|cjs|js))$`,
  );
  return [...new Set(quoted)].filter((code) => isPath.test(code));
}

describe('the paths in a document', () => {
  it('are the quoted ones', () => {
    const text =
      'See `src/main.ts`, `src/kernel/`, `test`, `.ci/run`, `biome.json`, `.dependency-cruiser.cjs`, src/gone.ts, `users.add`, `-o json`, `a/b.ts`.';
    expect(pathsIn(text)).toEqual([
      'src/main.ts',
      'src/kernel/',
      'test',
      '.ci/run',
      'biome.json',
      '.dependency-cruiser.cjs',
    ]);
  });
});

describe('ARCHITECTURE.md', () => {
  it('names only existing paths', async () => {
    const paths = pathsIn(await readFile(join(HOME, 'ARCHITECTURE.md'), 'utf8'));
    expect(paths.length).toBeGreaterThan(8);
    expect(paths.filter((path) => !existsSync(join(HOME, path)))).toEqual([]);
  });

  it('lists every layer of the code', async () => {
    const page = await readFile(join(HOME, 'ARCHITECTURE.md'), 'utf8');
    const named = new Set(
      Array.from(page.matchAll(/^\| `(src\/[\w./]+)` \|/gm), ([, layer]) => layer),
    );
    const layers = globSync('src/*', { cwd: HOME, withFileTypes: true }).map((entry) =>
      entry.isDirectory() ? `src/${entry.name}/` : `src/${entry.name}`,
    );
    expect(layers.filter((layer) => !named.has(layer))).toEqual([]);
  });

  it('lists the folders of commands in the order of the import rules', async () => {
    const page = await readFile(join(HOME, 'ARCHITECTURE.md'), 'utf8');
    const [, section = ''] = /^### Inside `src\/commands\/`\n(.*?)^#/ms.exec(`${page}\n#`) ?? [];
    const cells = Array.from(section.matchAll(/^\| ([^|]+) \|/gm), ([, cell = '']) => cell);
    const shown = cells.flatMap((cell) =>
      cell === 'a command group'
        ? cell
        : Array.from(cell.matchAll(/`src\/commands\/([\w-]+)\/`/g), ([, name]) => name),
    );
    const { allowed } = createRequire(import.meta.url)(join(HOME, '.dependency-cruiser.cjs'));
    const checked: string[] = allowed.flatMap(
      ({ from }: { from: { path: string } }) =>
        /^\^src\/commands\/([\w-]+)\/$/.exec(from.path)?.[1] ?? [],
    );
    const groups = checked.filter((folder) => !shown.includes(folder));
    const [first = -1, last = -1] = [groups[0], groups.at(-1)].map((group) =>
      checked.indexOf(group ?? ''),
    );
    expect(groups).toContain('jobs');
    expect([...checked.slice(0, first), 'a command group', ...checked.slice(last + 1)]).toEqual(
      shown,
    );
  });
});

describe('the links in the documents', () => {
  const pages = [
    ...globSync('*.md', { cwd: HOME }),
    ...globSync('docs/**/*.md', { cwd: HOME }),
    'test/guarantees.md',
  ].sort();

  it.each(pages)('%s: point to existing files and headings', async (page) => {
    const links = Array.from(
      (await readFile(join(HOME, page), 'utf8')).matchAll(/\]\(([^)\s]+)\)/g),
      ([, to = '']) => to,
    );
    const own = links.filter((to) => !/^[a-z]+:/.test(to));
    const broken = [];
    for (const to of own) {
      const [path = '', anchor] = to.split('#');
      const file = path ? join(HOME, dirname(page), path) : join(HOME, page);
      if (!existsSync(file) || (anchor && !anchorsOf(await readFile(file, 'utf8')).has(anchor)))
        broken.push(to);
    }
    expect(broken).toEqual([]);
  });
});

/** Returns the anchors that GitHub generates for headings. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = Array.from(markdown.matchAll(/^#+ (.*)$/gm), ([, heading = '']) =>
    heading.toLowerCase(),
  );
  return new Set(
    headings.map((heading) => heading.replace(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')),
  );
}

describe('docs/troubleshooting.md', () => {
  it('has a section for each failure with its exit code and retryability, starting with its meaning', async () => {
    const page = await readFile(join(HOME, 'docs/troubleshooting.md'), 'utf8');
    const sections = Array.from(
      page.matchAll(/^### `(\w+)`: exit (\d+)(, retryable)?\n(.*)$/gm),
      ([, code, exitCode, again, text = '']) =>
        [code, { exitCode: Number(exitCode), retryable: again !== undefined, text }] as const,
    );
    expect(sections.length).toBe(Object.keys(FAILURES).length);
    const byCode = new Map(sections);
    for (const [code, { exitCode, retryable, meaning }] of Object.entries(FAILURES)) {
      const section = byCode.get(code);
      expect({ code, ...section }).toMatchObject({ code, exitCode, retryable });
      expect(
        section?.text.toLowerCase().startsWith(meaning.toLowerCase()),
        `${code}: ${section?.text}`,
      ).toBe(true);
    }
  });
});

describe('docs/library.md', () => {
  it('names every setting of the client and the service', async () => {
    const page = await readFile(join(HOME, 'docs', 'library.md'), 'utf8');
    const settings = await Promise.all([
      settingsOf('client.ts', 'ClientSettings'),
      settingsOf('embedded-service.ts', 'ServiceSettings'),
    ]);
    expect(settings.map(({ length }) => length > 3)).toEqual([true, true]);
    expect(settings.flat().filter((name) => !new RegExp(`[\`{ ]${name}\\b`).test(page))).toEqual(
      [],
    );
  });
});

/** Returns the fields of an interface of the library. */
async function settingsOf(file: string, name: string): Promise<readonly string[]> {
  const source = await readFile(join(HOME, 'src', 'library', file), 'utf8');
  const [, body = ''] =
    new RegExp(`interface ${name} \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(source) ?? [];
  return Array.from(body.matchAll(/^ {2}readonly (\w+)/gm), ([, field = '']) => field);
}

describe('test/results.json', () => {
  it('names existing tests, a result, and the command that runs exactly those tests for every guarantee', async () => {
    const { scripts } = JSON.parse(await readFile(join(HOME, 'package.json'), 'utf8'));
    const { guarantees } = await readResults();
    expect(guarantees.length).toBeGreaterThan(25);
    for (const { guarantee, tests, result, command } of guarantees) {
      expect(tests.length, guarantee).toBeGreaterThan(0);
      expect(tests.filter((path) => !existsSync(join(HOME, path)))).toEqual([]);
      expect(result, guarantee).toMatch(/\d/);
      const [, script] = /^npm run (\S+)/.exec(command) ?? [];
      const [, words = ''] = /^npx vitest run (.+)$/.exec(command) ?? [];
      const filters = words.split(' ').filter(Boolean);
      if (script !== undefined) expect(scripts).toHaveProperty([script]);
      else expect(filters.length, guarantee).toBeGreaterThan(0);
      expect(
        filters.filter((filter) => !tests.some((path) => path.includes(filter))),
        guarantee,
      ).toEqual([]);
      const isRun = (path: string) =>
        script !== undefined || filters.some((filter) => path.includes(filter));
      expect(
        tests.filter((path) => !isRun(path)),
        guarantee,
      ).toEqual([]);
    }
  });

  it('names existing scripts for every benchmark', async () => {
    const { scripts } = JSON.parse(await readFile(join(HOME, 'package.json'), 'utf8'));
    const { benchmarks } = await readResults();
    const named = benchmarks.flatMap(({ commands }) => commands);
    expect(named.length).toBeGreaterThan(4);
    for (const command of named) {
      const [, script = ''] = /^npm run (\S+)/.exec(command) ?? [];
      expect(scripts).toHaveProperty([script]);
    }
  });
});
