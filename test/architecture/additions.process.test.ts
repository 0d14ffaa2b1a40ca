import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOME, run } from '../acceptance/svc.ts';
import { SLOW } from '../slow.ts';

/** A change of a file: a new file, or text to insert after a text that the file contains once. */
interface Change {
  readonly file: string;
  readonly after?: string;
  readonly text: string;
}

interface Addition {
  readonly entry: readonly Change[];
  /** Changes in files that the compiler reports after the entry was made. */
  readonly reported?: readonly Change[];
  readonly others?: readonly Change[];
}

/** Additions to svc, with the changes that CONTRIBUTING.md names. */
const ADDITIONS: Readonly<Record<string, Addition>> = {
  'an operation of a new resource': {
    entry: [
      {
        file: 'src/catalog/boards.ts',
        text: `import * as z from 'zod/mini';
          import { defineOperation } from './define.ts';
          import { id } from './fields.ts';
          export const boards = {
            'boards.get': defineOperation('boards.get', {
              summary: 'Show a board',
              path: '/v2/boards/get',
              effect: 'read',
              input: z.object({ boardId: id('board ID') }),
              output: z.looseObject({ boardId: z.string() }),
              message: 'Board fetched successfully.',
              decision: 'an unknown board is NOT_FOUND',
              settings: 'read',
              sample: () => ({ boardId: 'b1' }),
            }),
          };`,
      },
      {
        file: 'src/catalog/index.ts',
        after: 'const LOADERS = {',
        text: `boards: async () => (await import('./boards.ts')).boards,`,
      },
    ],
    reported: [
      {
        file: 'src/service/handlers/index.ts',
        after:
          'const LOADERS: { readonly [Name in Resource]: () => Promise<HandlersOf<Name>> } = {',
        text: `boards: async () => (await import('./boards.ts')).boards,`,
      },
      {
        file: 'src/catalog/groups.ts',
        after: '  Readonly<Record<string, string>> = {',
        text: `boards: 'Show boards',`,
      },
    ],
    others: [
      {
        file: 'src/service/handlers/boards.ts',
        text: `import type { HandlersOf } from './handler.ts';
          export const boards: HandlersOf<'boards'> = {
            'boards.get': async (_, { boardId }) => ({ data: { boardId } }),
          };`,
      },
    ],
  },
  'an operation of the admin API': {
    entry: [
      {
        file: 'src/catalog/local/deliveries.ts',
        after: 'export const deliveries = {',
        text: `'local.deliveries.count': defineAdminOperation('local.deliveries.count', {
            summary: 'Count deliveries',
            path: '/_svc/deliveries/count',
            effect: 'read',
            input: z.object({}),
            output: result<{ count: number }>(),
          }),`,
      },
    ],
    reported: [
      {
        file: 'src/catalog/local/deliveries.ts',
        after: `'local.deliveries.count', {`,
        text: `needs: 'data',`,
      },
      {
        file: 'src/service/local/delivery-control.ts',
        after: `export const deliveries: AdminHandlers<'deliveries', DeliveryContext> = {`,
        text: `'local.deliveries.count': async () => ({ count: 1 }),`,
      },
    ],
  },
  'an output format': {
    entry: [{ file: 'src/output/format.ts', after: 'export const FORMATS = [', text: `'toml', ` }],
    reported: [
      {
        file: 'src/output/printer.ts',
        after: 'const RENDERERS: Readonly<Record<Format, (view: View) => Promise<Renderer>>> = {',
        text: `toml: async () => (await import('./yaml.ts')).yamlRenderer,`,
      },
      {
        file: 'src/commands/bulk/check-report.ts',
        after: 'const REPORTS = {',
        text: 'toml: printDocument,',
      },
      {
        file: 'src/commands/help/topics.ts',
        after: 'const FORMAT_DETAILS: Readonly<Record<Format, string>> = {',
        text: `toml: 'TOML 1.0',`,
      },
    ],
  },
  'a command': {
    entry: [
      {
        file: 'src/commands/boards/commands.ts',
        text: `import type { Context } from '../context.ts';
          import { type CommandDefinition, defineCommand } from '../definition.ts';
          export const BOARD_COMMANDS: readonly CommandDefinition[] = [
            defineCommand({
              command: ['boards', 'count'],
              globalFlags: ['result'],
              summary: 'Count boards',
              options: [],
              load: async () => async (context: Context) => (await context.printer()).value(1, {}),
            }),
          ];`,
      },
    ],
    others: [
      {
        file: 'src/commands/tree/definitions.ts',
        after: 'export const DEFINITIONS = {',
        text: `boards: async () => (await import('../boards/commands.ts')).BOARD_COMMANDS,`,
      },
    ],
  },
  'a store setting': {
    entry: [
      {
        file: 'src/service/local/state.ts',
        after: 'export type DevelopmentValues = Readonly<Partial<Record<',
        text: `'quota' | `,
      },
      {
        file: 'src/service/local/quota.ts',
        text: `import type { DevelopmentState } from './state.ts';
          export const saveQuota = (state: DevelopmentState, quota: number) =>
            state.change('quota', () => quota);
          export const readQuota = async (state: DevelopmentState) => (await state.current()).quota;`,
      },
    ],
  },
};

let copy: string;

beforeAll(async () => {
  // In the checkout, so that the copy finds the packages.
  copy = await mkdtemp(join(HOME, 'coverage-'));
  await cp(join(HOME, 'src'), join(copy, 'src'), { recursive: true });
  const settings = {
    extends: '../tsconfig.json',
    compilerOptions: { tsBuildInfoFile: './typescript.tsbuildinfo' },
    include: ['src'],
  };
  await writeFile(join(copy, 'tsconfig.json'), JSON.stringify(settings));
});

afterAll(() => rm(copy, { recursive: true }));

async function makeChange({ file, after, text }: Change): Promise<void> {
  const path = join(copy, file);
  if (after === undefined) {
    await mkdir(dirname(path), { recursive: true });
    return writeFile(path, text);
  }
  const [start, end, ...more] = (await readFile(path, 'utf8')).split(after);
  if (end === undefined || more.length > 0) throw new Error(`${file} must contain once: ${after}`);
  await writeFile(path, `${start}${after}${text}${end}`);
}

/** Returns the files with errors. */
async function compile(): Promise<readonly string[]> {
  const tool = join(HOME, 'node_modules', '.bin', 'tsc');
  const { stdout } = await run([tool, '--project', copy, '--pretty', 'false'], { cwd: copy });
  const files = stdout
    .split('\n')
    .flatMap((line) => /^(\S+)\(\d+,\d+\): error/.exec(line)?.[1] ?? []);
  return [...new Set(files)].sort();
}

describe('additions to svc', SLOW, () => {
  it('compile with the changes that the guide names', async () => {
    const additions = Object.values(ADDITIONS);
    for (const change of additions.flatMap(({ entry }) => entry)) await makeChange(change);
    const reported = additions.flatMap((addition) => addition.reported ?? []);
    expect(await compile()).toEqual(reported.map(({ file }) => file).sort());
    const others = additions.flatMap((addition) => addition.others ?? []);
    for (const change of [...reported, ...others]) await makeChange(change);
    expect(await compile()).toEqual([]);
  }, 300_000);

  it.each(Object.entries(ADDITIONS))(
    'change files that the guide names: %s',
    async (_, addition) => {
      const guide = await readFile(join(HOME, 'CONTRIBUTING.md'), 'utf8');
      const changes = [addition.entry, addition.reported ?? [], addition.others ?? []].flat();
      expect(new Set(changes.map(({ file }) => file)).size).toBeLessThanOrEqual(5);
      for (const { file } of changes.filter(({ after }) => after !== undefined))
        expect(
          [file, `${dirname(file)}/`].some((path) => guide.includes(`\`${path}\``)),
          file,
        ).toBe(true);
    },
  );
});
