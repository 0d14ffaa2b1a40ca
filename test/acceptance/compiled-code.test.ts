import {
  chmod,
  chown,
  cp,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SLOW } from '../slow.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { BIN, HOME, run } from './svc.ts';

const isRoot = process.getuid?.() === 0;
const STRANGER = 54_321;
const VERSION = `${process.version}-${process.arch}`;

/** Compiles code of the length of each module that prints a line when it runs, like another user might. */
const PLANT = `
  const { readFileSync, writeFileSync } = require('node:fs');
  const { Script } = require('node:vm');
  for (const [file, length] of JSON.parse(readFileSync(0, 'utf8'))) {
    const [start, end] = ['(function(exports,require,module){process._rawDebug("FOREIGN CODE")', '\\n})//0000000000000000'];
    const code = new Script(start + ' '.repeat(length - start.length - end.length) + end).createCachedData();
    writeFileSync(file, Buffer.concat([code, code]), { mode: 0o600 });
  }`;

interface Cache {
  /** The folder that XDG_CACHE_HOME names. */
  readonly cache: string;
  /** The folder of svc's compiled code in it. */
  readonly compiled: string;
  /** The folder of this version of Node.js in it. */
  readonly codes: string;
}

function cacheIn(home: string): Cache {
  const cache = join(home, 'cache');
  const compiled = join(cache, 'svc', 'compiled');
  return { cache, compiled, codes: join(compiled, VERSION) };
}

async function help({ cache }: Cache): Promise<string> {
  const { stderr } = await run([BIN, '--help'], { env: { XDG_CACHE_HOME: cache } });
  return stderr;
}

async function changeModes(folder: string, mode: number): Promise<void> {
  for (const name of await readdir(folder)) await chmod(join(folder, name), mode);
}

async function giveAll(folder: string, owner: number): Promise<void> {
  await chown(folder, owner, owner);
  for (const entry of await readdir(folder, { recursive: true }))
    await chown(join(folder, entry), owner, owner);
}

describe.skipIf(!isRoot)('compiled code in a cache folder (needs root)', () => {
  let planted: string;

  beforeAll(async () => {
    planted = await mkdtemp(join(tmpdir(), 'svc-test-'));
    const own = cacheIn(planted);
    await help(own);
    const names = await readdir(own.codes);
    expect(names.length).toBeGreaterThan(1);
    const files = await Promise.all(
      names.map(async (name) => {
        const code = await readFile(join(HOME, 'dist', 'chunks', name), 'utf8');
        return [join(own.codes, name), code.length] as const;
      }),
    );
    await run(['-e', PLANT], { stdin: JSON.stringify(files) });
  });

  afterAll(() => rm(planted, { recursive: true, force: true }));

  const kinds: Readonly<Record<string, (cache: Cache, home: string) => Promise<unknown>>> = {
    'that every user can write to': ({ compiled }) => chmod(compiled, 0o777),
    'that the group can write to': ({ compiled }) => chmod(compiled, 0o770),
    'that another user owns': ({ compiled }) => chown(compiled, STRANGER, STRANGER),
    'whose files another user owns': ({ codes }) => giveAll(codes, STRANGER),
    'whose folder for this Node.js another user owns': ({ codes }) =>
      chown(codes, STRANGER, STRANGER),
    'whose folder for this Node.js the group can write to': ({ codes }) => chmod(codes, 0o770),
    'below a folder that every user can write to': ({ cache }) => chmod(cache, 0o777),
    'below a folder that the group can write to': ({ cache }) => chmod(cache, 0o775),
    'below a folder of another user': ({ cache }) => chown(cache, STRANGER, STRANGER),
    'below a sticky folder of another user': async ({ cache }) => {
      await chown(cache, STRANGER, STRANGER);
      await chmod(cache, 0o1777);
    },
    'that is a link to a folder of another user': async ({ compiled }, home) => {
      await rename(compiled, join(home, 'theirs'));
      await giveAll(join(home, 'theirs'), STRANGER);
      await symlink(join(home, 'theirs'), compiled);
    },
    'that is a link to below a folder of another user': async ({ compiled }, home) => {
      await mkdir(join(home, 'theirs'));
      await rename(compiled, join(home, 'theirs', 'compiled'));
      await chown(join(home, 'theirs'), STRANGER, STRANGER);
      await symlink(join(home, 'theirs', 'compiled'), compiled);
    },
    'whose folder for this Node.js is a link': async ({ codes }, home) => {
      await rename(codes, join(home, 'codes'));
      await symlink(join(home, 'codes'), codes);
    },
    'whose files are links': async ({ codes }, home) => {
      for (const name of await readdir(codes)) {
        await rename(join(codes, name), join(home, name));
        await symlink(join(home, name), join(codes, name));
      }
    },
    'whose files have a second name': async ({ codes }, home) => {
      for (const name of await readdir(codes)) await link(join(codes, name), join(home, name));
    },
    'whose files every user can write to': ({ codes }) => changeModes(codes, 0o666),
    'whose files the group can write to': ({ codes }) => changeModes(codes, 0o660),
    'below the home of another user': async ({ cache }, home) => {
      await rename(cache, join(home, '.cache'));
      await giveAll(home, STRANGER);
      await giveAll(join(home, '.cache', 'svc', 'compiled'), 0);
      await symlink(join(home, '.cache'), cache);
    },
    'that is swapped for one of another user': async ({ compiled }, home) => {
      await rename(compiled, join(home, 'own'));
      await mkdir(compiled, { mode: 0o700 });
      await chown(compiled, STRANGER, STRANGER);
      await rename(join(home, 'own', VERSION), join(compiled, VERSION));
    },
  };

  async function copyPlanted(): Promise<string> {
    const home = await createTemporaryFolder();
    await cp(planted, home, { recursive: true });
    return home;
  }

  it('runs in a private folder, so that these tests show something', SLOW, async () => {
    expect(await help(cacheIn(await copyPlanted()))).toContain('FOREIGN CODE');
  });

  it.each(Object.keys(kinds))('does not run in a folder %s', SLOW, async (kind) => {
    const home = await copyPlanted();
    const cache = cacheIn(home);
    await kinds[kind]?.(cache, home);
    expect(await help(cache)).not.toContain('FOREIGN CODE');
  });

  it('runs below a sticky folder of root', SLOW, async () => {
    const home = await copyPlanted();
    const { cache } = cacheIn(home);
    await chmod(cache, 0o1777);
    expect(await help(cacheIn(home))).toContain('FOREIGN CODE');
  });
});
