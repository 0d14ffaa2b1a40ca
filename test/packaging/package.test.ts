import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBundledPackages } from '../../packaging/bundled.ts';
import { HOME, newUser, run } from '../acceptance/svc.ts';
import { npm, packPackage } from './packed.ts';
import { fetchTool } from './tools.ts';

interface Component {
  readonly 'bom-ref': string;
}

const KEYCHAIN = '@napi-rs/keyring';
const execute = promisify(execFile);

let folder: string;
let packed: Awaited<ReturnType<typeof packPackage>>;
let root: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-package-'));
  packed = await packPackage();
  const install = [
    'install',
    '--global',
    packed.tarball,
    '--prefix',
    'prefix',
    '--ignore-scripts',
    '--omit=optional',
  ];
  await npm(install, folder);
  root = join(folder, 'prefix', 'lib', 'node_modules', '@collab-svc', 'svc');
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

const read = (file: string) => readFile(join(root, file), 'utf8');

/** Runs the installed command like a new user. */
async function installed() {
  const { home, env } = await newUser();
  const program = join(folder, 'prefix', 'bin', 'svc');
  return (words: readonly string[]) => run([program, ...words], { cwd: home, env });
}

describe('the package', () => {
  it('is at most 3.2 MB, without Node.js and build-only files', () => {
    const left = 3_200_000 - packed.size;
    expect(left, `the package exceeds its limit by ${-left} bytes`).toBeGreaterThanOrEqual(0);
    expect(
      packed.files.filter((path) => /metafile|node_modules|\.node$|\.exe$|bin\/node/.test(path)),
    ).toEqual([]);
    expect(packed.files).toEqual(
      expect.arrayContaining(['bin/svc.js', 'loader.cjs', 'chunks/jq.wasm.br', 'LICENSE']),
    );
  });

  it('has no install scripts, and no dependency except the optional keychain', async () => {
    const manifest = JSON.parse(await read('package.json'));
    expect(manifest).not.toHaveProperty('scripts');
    expect(manifest).toMatchObject({
      name: '@collab-svc/svc',
      type: 'module',
      bin: { svc: 'bin/svc.js' },
    });
    expect({ ...manifest.dependencies, ...manifest.peerDependencies }).toEqual({});
    expect(Object.keys(manifest.optionalDependencies)).toEqual([KEYCHAIN]);
  });

  it('declares its types for all tools', async () => {
    const { types, exports } = JSON.parse(await read('package.json'));
    expect(types).toBe('./types/index.d.ts');
    expect(exports['.'].types).toBe(types);
    expect(packed.files).toContain('types/index.d.ts');
  });

  it('lists the same packages in the bill of materials and in the notices', async () => {
    const { bomFormat, components, metadata } = JSON.parse(await read('sbom.cdx.json'));
    expect(bomFormat).toBe('CycloneDX');
    expect(metadata.component.name).toBe('@collab-svc/svc');
    const listed = components.map(
      ({ name, version }: { name: string; version: string }) => `${name} ${version}`,
    );
    const notices = await read('THIRD-PARTY-NOTICES.txt');
    const noticed = Array.from(
      notices.matchAll(/(?<=^-{80}\n\n(?:\S.*\n)*)(\S+ \d\S*) \(.*\)$/gm),
      ([, title]) => title,
    );
    expect(noticed).toEqual(expect.arrayContaining([expect.stringMatching(/^commander 15/)]));
    expect(listed.filter((title: string) => !title.startsWith(KEYCHAIN)).sort()).toEqual(
      noticed.sort(),
    );
  });

  it('contains every copyright line of the bundled packages', async () => {
    const notices = await read('THIRD-PARTY-NOTICES.txt');
    const metafile = JSON.parse(await readFile(join(HOME, 'dist', 'metafile.json'), 'utf8'));
    const licenses = findBundledPackages(metafile).map(({ folder }) =>
      readFile(join(HOME, folder, 'LICENSE'), 'utf8').catch(() => ''),
    );
    const lines = (await Promise.all(licenses))
      .flatMap((text) => text.match(/^.*(?:copyright.*\d{4}|\(c\)).*$/gim) ?? [])
      .map((line) => line.trim());
    expect(lines.length).toBeGreaterThan(30);
    expect(lines.filter((line) => !notices.includes(line))).toEqual([]);
  });
});

describe('the bill of materials', () => {
  it('is valid by the schema of CycloneDX, with the versions in the lock file', async () => {
    const bill = JSON.parse(await read('sbom.cdx.json'));
    const schema = await fetchTool('cyclonedx');
    const load = async (file: string) =>
      JSON.parse(await readFile(join(dirname(schema), file), 'utf8'));
    const ajv = new Ajv({ strict: false, validateFormats: false, logger: false });
    for (const part of ['spdx', 'jsf-0.82'].map((name) => `${name}.SNAPSHOT.schema.json`)) {
      const $id = `http://cyclonedx.org/schema/${part}`;
      ajv.addSchema({ ...(await load(part)), $id });
    }
    const validate = ajv.compile(await load(basename(schema)));
    expect(validate({ ...bill, components: [{ name: 'no type' }] })).toBe(false);
    validate(bill);
    expect(validate.errors).toBe(null);
    const lock = JSON.parse(await readFile(join(HOME, 'package-lock.json'), 'utf8'));
    const locked = Object.entries<{ version: string }>(lock.packages).map(
      ([path, { version }]) => `${path.replace(/^.*node_modules\//, '')} ${version}`,
    );
    const listed: readonly string[] = bill.components.map(
      ({ name, version }: { name: string; version: string }) => `${name} ${version}`,
    );
    expect(listed.filter((entry) => !locked.includes(entry))).toEqual([]);
  });

  it('has all fields that CycloneDX requires, and only valid references', async () => {
    const bill = JSON.parse(await read('sbom.cdx.json'));
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 });
    const own: string = bill.metadata.component['bom-ref'];
    const refs: readonly string[] = [
      own,
      ...bill.components.map((part: Component) => part['bom-ref']),
    ];
    expect(new Set(refs).size).toBe(refs.length);
    for (const part of [bill.metadata.component, ...bill.components]) {
      expect(part).toMatchObject({
        type: 'library',
        name: expect.any(String),
        version: expect.any(String),
      });
      expect(part.purl).toBe(`pkg:npm/${part.name.replace('@', '%40')}@${part.version}`);
      expect(part.licenses.length).toBeGreaterThan(0);
    }
    for (const { ref, dependsOn } of bill.dependencies) {
      expect([ref, ...dependsOn].filter((one: string) => !refs.includes(one))).toEqual([]);
    }
  });
});

describe('the installed command', () => {
  it('works in an empty prefix, without the optional keychain', async () => {
    const svc = await installed();
    const { version } = JSON.parse(await read('package.json'));
    expect(await svc(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect(
      await svc(['users', 'add', '--local', '--org', 'acme', '--user', 'u1', '-q']),
    ).toMatchObject({ code: 0 });
    expect(
      await svc(['users', 'data', '--local', '--org', 'acme', '--user', 'u1', '--jq', 'keys']),
    ).toEqual({
      code: 0,
      stdout: '["comments","notifications","reactions","recordings"]\n',
      stderr: '',
    });
    const { stdout } = await svc(['--help']);
    expect(stdout).toContain('svc help <command>');
  });
});

describe('npm pack in the checkout itself', () => {
  it('makes a package that runs, too, without the source and the tests', async () => {
    const other = join(folder, 'checkout');
    await mkdir(other);
    const { stdout } = await execute(
      'npm',
      ['pack', '--json', '--ignore-scripts', '--pack-destination', other],
      { cwd: HOME },
    );
    const [{ filename, files }] = JSON.parse(stdout);
    const folders = new Set(files.map(({ path }: { path: string }) => path.split('/')[0]));
    expect([...folders].sort()).toEqual([
      'LICENSE',
      'README.md',
      'bin',
      'dist',
      'package.json',
      'skills',
    ]);
    await execute('tar', ['-xzf', filename], { cwd: other });
    const { home, env } = await newUser();
    const svc = [
      join(other, 'package', 'bin', 'svc.js'),
      'users',
      'add',
      '--local',
      '--org',
      'acme',
      '--user',
      'u1',
      '-q',
    ];
    expect(await run(svc, { cwd: home, env })).toMatchObject({ code: 0 });
  });
});
