import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOME, run } from '../acceptance/svc.ts';

interface Cruise {
  readonly violations: readonly {
    readonly from: string;
    readonly to: string;
    readonly rule: { readonly name: string };
  }[];
  readonly totalCruised: number;
}

/** Runs the layer check of `npm run check` in a folder with the layout of this project. */
async function cruise(folder: string): Promise<Cruise> {
  const tool = join(HOME, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs');
  const words = [
    tool,
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'json',
    'src',
    'bin',
    'pages',
  ];
  const { stdout } = await run(words, { cwd: folder });
  return JSON.parse(stdout).summary;
}

/** A file with a forbidden import, and the expected error. */
const PLANTED = [
  {
    fault: 'a sibling',
    file: 'output/a.ts',
    code: "import '../profiles/profile.ts';",
    to: /profiles/,
  },
  {
    fault: 'a sibling, as a type',
    file: 'bulk/b.ts',
    code: "import type { Format } from '../output/format.ts';",
    to: /output/,
  },
  {
    fault: 'a layer above',
    file: 'kernel/c.ts',
    code: "import '../catalog/define.ts';",
    to: /catalog/,
  },
  {
    fault: 'a layer above, dynamically',
    file: 'catalog/d.ts',
    code: "export const later = () => import('../client/client.ts');",
    to: /client/,
  },
  {
    fault: 'a layer above, re-exported',
    file: 'client/e.ts',
    code: "export * from '../service/service.ts';",
    to: /service/,
  },
  {
    fault: 'the client from the service',
    file: 'service/f.ts',
    code: "import '../client/client.ts';",
    to: /client/,
  },
  {
    fault: 'the service from webhooks',
    file: 'webhooks/g.ts',
    code: "import '../service/service.ts';",
    to: /service/,
  },
  { fault: 'the entry point', file: 'commands/h.ts', code: "import '../main.ts';", to: /main/ },
  {
    fault: 'a file outside src',
    file: 'kernel/i.ts',
    code: "import '../../package.json' with { type: 'json' };",
    to: /package/,
  },
  {
    fault: 'a folder that is not a layer',
    file: 'kernel/j.ts',
    code: "import '../common/common.ts';",
    to: /common/,
  },
  { fault: "another layer's library", file: 'bulk/k.ts', code: "import ky from 'ky';", to: /ky/ },
  {
    fault: "the command line's library",
    file: 'output/l.ts',
    code: "import { Command } from 'commander';",
    to: /commander/,
  },
  {
    fault: 'zod outside the catalog',
    file: 'service/m.ts',
    code: "import * as z from 'zod/mini';",
    to: /zod/,
  },
  {
    fault: 'the database outside the store',
    file: 'service/n.ts',
    code: "import { DatabaseSync } from 'node:sqlite';",
    to: /sqlite/,
  },
  {
    fault: 'the network outside the client',
    file: 'profiles/o.ts',
    code: "import { request } from 'node:https';",
    to: /https/,
  },
  {
    fault: "another command group's code",
    file: 'commands/history/aa.ts',
    code: "import '../jobs/list.ts';",
    to: /jobs/,
  },
  {
    fault: 'a command group from a lower row',
    file: 'commands/run/bb.ts',
    code: "import '../history/record.ts';",
    to: /history/,
  },
  {
    fault: 'bulk code from a single call, as a type',
    file: 'commands/call/cc.ts',
    code: "import type { BulkRequest } from '../bulk/bulk-request.ts';",
    to: /bulk/,
  },
  {
    fault: 'the command-line parser from help, dynamically',
    file: 'commands/help/dd.ts',
    code: "export const later = () => import('../line/program.ts');",
    to: /line/,
  },
  {
    fault: 'a folder from the shared definitions of commands',
    file: 'commands/ee.ts',
    code: "import './terminal/terminal.ts';",
    to: /terminal/,
  },
  {
    fault: 'the shared definitions from an unknown folder',
    file: 'commands/misplaced/ff.ts',
    code: "import '../definition.ts';",
    to: /definition/,
  },
  {
    fault: 'a handler from records',
    file: 'service/records/gg.ts',
    code: "import '../handlers/folders.ts';",
    to: /handlers/,
  },
  {
    fault: 'a handler from deliveries, as a type',
    file: 'service/deliveries/hh.ts',
    code: "import type { Handler } from '../handlers/handler.ts';",
    to: /handlers/,
  },
  {
    fault: 'records from the store',
    file: 'service/store/ii.ts',
    code: "import '../records/folders.ts';",
    to: /records/,
  },
  {
    fault: 'a file that connects the folders, from the store',
    file: 'service/store/nn.ts',
    code: "import '../app.ts';",
    to: /app/,
  },
  {
    fault: 'calls from the store, as a type',
    file: 'service/store/oo.ts',
    code: "import type { KeyCall } from '../calls/call.ts';",
    to: /calls/,
  },
  {
    fault: 'a file that connects the folders, from the journal, as a type',
    file: 'bulk/journal/pp.ts',
    code: "import type { RejectsFile } from '../rejects-file.ts';",
    to: /rejects-file/,
  },
  {
    fault: 'the journal from a source',
    file: 'bulk/source/qq.ts',
    code: "import '../journal/journal.ts';",
    to: /journal/,
  },
  {
    fault: 'the inspector',
    file: 'service/local/ll.ts',
    code: "import '../../../pages/inspector/format.ts';",
    to: /inspector/,
  },
  {
    fault: 'the store from the inspector',
    file: '../pages/inspector/mm.ts',
    code: "import '../../src/service/app.ts';",
    to: /app/,
  },
  {
    fault: 'a library without an owner',
    file: 'kernel/p.ts',
    code: "import { expect } from 'vitest';",
    to: /vitest/,
  },
  { fault: 'a missing module', file: 'kernel/q.ts', code: "import './gone.ts';", to: /gone/ },
];
const CYCLE = [
  { file: 'kernel/y.ts', code: "import './z.ts';" },
  { file: 'kernel/z.ts', code: "import './y.ts';" },
];
/** Allowed imports, which prove that the check does not reject everything. */
const ALLOWED = [
  { file: 'service/r.ts', code: "import '../webhooks/s.ts';" },
  { file: 'webhooks/s.ts', code: "import '../catalog/define.ts';" },
  {
    file: 'commands/jobs/jj.ts',
    code: "import '../run/run-operation.ts';\nimport '../context.ts';",
  },
  { file: 'service/kk.ts', code: "import './handlers/folders.ts';" },
  { file: 'client/t.ts', code: "import type * as z from 'zod/mini';" },
];

describe('in a copy of the source', () => {
  let copy: string;
  let found: Cruise;

  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'svc-layers-'));
    for (const name of ['src', 'bin', 'pages', 'package.json', '.dependency-cruiser.cjs']) {
      await cp(join(HOME, name), join(copy, name), { recursive: true });
    }
    await symlink(join(HOME, 'node_modules'), join(copy, 'node_modules'));
    await mkdir(join(copy, 'src', 'webhooks'), { recursive: true });
    await mkdir(join(copy, 'src', 'common'));
    await mkdir(join(copy, 'src', 'commands', 'misplaced'));
    await writeFile(join(copy, 'src', 'common', 'common.ts'), 'export const shared = 1;\n');
    for (const { file, code } of [...PLANTED, ...CYCLE, ...ALLOWED])
      await writeFile(join(copy, 'src', file), code);
    found = await cruise(copy);
  });

  afterAll(() => rm(copy, { recursive: true, force: true }));

  it.each(PLANTED)('an import of $fault is rejected', ({ file, to }) => {
    const refused = found.violations.filter(({ from }) => from === join('src', file));
    expect(refused).toEqual([
      expect.objectContaining({
        to: expect.stringMatching(to),
        rule: expect.objectContaining({ name: 'not-in-allowed' }),
      }),
    ]);
  });

  it('a cycle is rejected', () => {
    const [cycle] = found.violations.filter(({ rule }) => rule.name === 'no-cycles');
    expect([cycle?.from, cycle?.to].sort()).toEqual(CYCLE.map(({ file }) => `src/${file}`));
  });

  it('everything else is accepted, which includes every source file', () => {
    expect(found.totalCruised).toBeGreaterThan(700);
    const faults = new Set([...PLANTED, ...CYCLE].map(({ file }) => join('src', file)));
    expect(found.violations.filter(({ from }) => !faults.has(from))).toEqual([]);
  });
});
