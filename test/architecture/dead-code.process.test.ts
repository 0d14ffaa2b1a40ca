import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { HOME, run } from '../acceptance/svc.ts';
import { SLOW } from '../slow.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

const PROJECT = {
  'package.json':
    '{ "name": "planted", "type": "module", "dependencies": { "left-over": "1.0.0" } }',
  'src/catalog/manifest.ts':
    "import { used } from '../kernel/part.ts';\nimport 'not-installed';\nexport const manifest = used;",
  'src/kernel/part.ts':
    'export const used = 1;\nexport const unused = 2;\nexport type Unused = string;',
  'src/kernel/alone.ts': 'export const alone = 3;',
};

it('dead code is detected: unused files, exports, types, and libraries', SLOW, async () => {
  const folder = await createTemporaryFolder();
  await cp(join(HOME, 'knip.json'), join(folder, 'knip.json'));
  for (const [path, content] of Object.entries(PROJECT)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const tool = join(HOME, 'node_modules', 'knip', 'bin', 'knip.js');
  const { code, stdout } = await run([tool, '--reporter', 'compact'], { cwd: folder });
  expect(code).toBe(1);
  expect(stdout).toContain('src/kernel/alone.ts');
  expect(stdout).toContain('src/kernel/part.ts: unused');
  expect(stdout).toContain('src/kernel/part.ts: Unused');
  expect(stdout).toContain('left-over');
  expect(stdout).toContain('not-installed');
  expect(stdout).not.toMatch(/\bused\b/);
});
