import { cp, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { buildIfChanged, INPUTS } from '../../packaging/bundle/build-inputs.ts';
import { HOME } from '../acceptance/svc.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';

/** Copies the inputs of a build to a new folder. */
async function copyInputs(): Promise<string> {
  const folder = await createTemporaryFolder();
  for (const input of INPUTS) {
    await mkdir(dirname(join(folder, input)), { recursive: true });
    await cp(join(HOME, input), join(folder, input), { recursive: true });
  }
  return folder;
}

/** Returns an input, or a file in it. */
async function fileIn(input: string): Promise<string> {
  if (!(await stat(input)).isDirectory()) return input;
  const entries = await readdir(input, { recursive: true, withFileTypes: true });
  const file = entries.find((entry) => entry.isFile());
  return join(file?.parentPath ?? '', file?.name ?? '');
}

it('svc is built again only after a change of what a build reads', async () => {
  const folder = await copyInputs();
  let builds = 0;
  const build = async () => {
    builds += 1;
    await rm(join(folder, 'dist'), { recursive: true, force: true });
    await mkdir(join(folder, 'dist'));
  };
  const rebuilds = async () => {
    const before = builds;
    await buildIfChanged(folder, build);
    return builds > before;
  };
  expect(await rebuilds()).toBe(true);
  expect(await rebuilds()).toBe(false);
  await writeFile(join(folder, 'README.md'), 'Other words.');
  expect(await rebuilds()).toBe(false);
  for (const input of INPUTS) {
    await writeFile(await fileIn(join(folder, input)), 'changed');
    expect(await rebuilds(), input).toBe(true);
  }
  await rename(join(folder, 'src/index.ts'), join(folder, 'src/library.ts'));
  expect(await rebuilds()).toBe(true);
  await rm(join(folder, 'src/library.ts'));
  expect(await rebuilds()).toBe(true);
  expect(await rebuilds()).toBe(false);
});

it('svc is built again after a build that failed, or during which a source changed', async () => {
  const folder = await copyInputs();
  const failing = () => Promise.reject(new Error('no space'));
  await expect(buildIfChanged(folder, failing)).rejects.toThrow('no space');
  let builds = 0;
  const buildDuringChange = async () => {
    builds += 1;
    await mkdir(join(folder, 'dist'), { recursive: true });
    await writeFile(join(folder, 'src/index.ts'), `export const at = ${builds};`);
  };
  await buildIfChanged(folder, buildDuringChange);
  await buildIfChanged(folder, buildDuringChange);
  expect(builds).toBe(2);
});
