import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { screensPage } from '../../docs/generate/screens.ts';
import { HOME } from '../acceptance/svc.ts';
import { SLOW } from '../slow.ts';

it('docs/screens.md shows the current output', SLOW, async () => {
  expect(await screensPage(), 'npm run generate writes it').toBe(
    await readFile(join(HOME, 'docs', 'screens.md'), 'utf8'),
  );
});
