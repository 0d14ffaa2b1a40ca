import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { createManifests } from '../../packaging/manifests.ts';
import { releaseNotes } from '../../packaging/release-notes.ts';
import { HOME } from '../acceptance/svc.ts';
import { createTemporaryFolder } from '../temporary-folder.ts';
import { packPackage } from './packed.ts';

const execute = promisify(execFile);
const { version, description } = JSON.parse(await readFile(join(HOME, 'package.json'), 'utf8'));

/** Creates stand-ins for the executables, which take long to build and have a test of their own. */
async function createExecutables(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'executables-'));
  for (const name of ['svc-linux-x64', 'svc-linux-arm64', 'svc-win-x64.exe'])
    await writeFile(join(folder, name), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
  return folder;
}

/** Collects the files of a release under another time zone and file mode mask. */
async function createRelease(to: string, environment: Readonly<Record<string, string>>) {
  const { folder } = await packPackage();
  const words = [join(HOME, 'packaging', 'release.ts'), '--to', to, '--package', folder];
  const options = ['--executables', await createExecutables(), '--releases', 'https://a.example'];
  const line = ['umask "$1"; shift; exec "$@"', 'sh', environment['UMASK'] ?? '022'];
  const run = [process.execPath, ...words, ...options];
  await execute('sh', ['-c', ...line, ...run], {
    cwd: HOME,
    env: { ...process.env, ...environment },
  });
}

let release: string;

beforeAll(async () => {
  release = join(tmpdir(), 'release');
  await createRelease(release, {});
}, 120_000);

describe('the files of a release', () => {
  it('are listed with their checksums', async () => {
    expect((await readdir(release)).sort()).toEqual([
      'SHA256SUMS',
      `collab-svc-svc-${version}.tgz`,
      'install.sh',
      'notes.md',
      `svc-${version}-linux-arm64.tar.gz`,
      `svc-${version}-linux-x64.tar.gz`,
      `svc-${version}-win-x64.zip`,
      'svc.cdx.json',
    ]);
    await execute('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: release });
    expect(await readFile(join(release, 'notes.md'), 'utf8')).toContain('sha256sum --check');
  });

  it('contain licenses, completions, and man pages beside each executable', async () => {
    const tar = await execute('tar', ['-tzf', `svc-${version}-linux-x64.tar.gz`], { cwd: release });
    const zip = await execute('unzip', ['-Z1', `svc-${version}-win-x64.zip`], { cwd: release });
    for (const [stdout, folder, program] of [
      [tar.stdout, `svc-${version}-linux-x64`, 'svc'],
      [zip.stdout, `svc-${version}-win-x64`, 'svc.exe'],
    ] as const) {
      const files = [program, 'LICENSE', 'LICENSE-NODE', 'THIRD-PARTY-NOTICES.txt'];
      const more = ['completions/_svc', 'completions/svc.bash', 'man/svc.1'];
      expect(stdout.split('\n')).toEqual(
        expect.arrayContaining([...files, ...more].map((file) => `${folder}/${file}`)),
      );
    }
  });

  it('have the same bytes in another folder, time zone, and file mode mask', async () => {
    const other = join(await createTemporaryFolder(), 'another', 'folder');
    await createRelease(other, { TZ: 'Pacific/Auckland', UMASK: '077' });
    const [first, second] = await Promise.all(
      [release, other].map((folder) => readFile(join(folder, 'SHA256SUMS'), 'utf8')),
    );
    expect(second).toBe(first);
  });

  it('have notes only for a version in the changelog', () => {
    expect(releaseNotes('# Changelog\n\n## 1.2.0\n\nMore.\n\n## 1.1.0\n\nOld.\n', '1.2.0')).toMatch(
      /^More\.\n\n## Verify/,
    );
    expect(() => releaseNotes('## 1.2.0\n', '1.3.0')).toThrow('no section for 1.3.0');
  });
});

describe('the manifests for package managers', () => {
  const create = async (): Promise<ReadonlyMap<string, string>> => {
    const to = await createTemporaryFolder();
    const words = ['--checksums', join(release, 'SHA256SUMS'), '--version', version, '--to', to];
    const program = join(HOME, 'packaging', 'manifests.ts');
    const line = [program, ...words, '--repository', 'owner/name'];
    await execute(process.execPath, line, { cwd: HOME });
    const files = await readdir(to, { recursive: true, withFileTypes: true });
    const paths = files.filter((file) => file.isFile()).map((f) => join(f.parentPath, f.name));
    const texts = paths.map(
      async (path) => [relative(to, path), await readFile(path, 'utf8')] as const,
    );
    return new Map(await Promise.all(texts));
  };
  const hashOf = async (file: string) =>
    createHash('sha256')
      .update(await readFile(join(release, file)))
      .digest('hex');

  it('install the files of the release, with their checksums', async () => {
    const files = await create();
    const formula = files.get('homebrew/Formula/svc.rb') ?? '';
    const scoop = JSON.parse(files.get('scoop/svc.json') ?? '');
    const folder = `winget/manifests/c/CollabSvc/Svc/${version}/CollabSvc.Svc`;
    const winget = parse(files.get(`${folder}.installer.yaml`) ?? '');
    const at = `https://github.com/owner/name/releases/download/v${version}`;
    const tarball = `collab-svc-svc-${version}.tgz`;
    expect(formula).toContain(`url "${at}/${tarball}"\n  sha256 "${await hashOf(tarball)}"`);
    expect(formula).toContain('depends_on "node"');
    if (existsSync('/usr/bin/ruby')) {
      const ruby = execute('/usr/bin/ruby', ['-c'], { timeout: 20_000 });
      ruby.child.stdin?.end(formula);
      expect((await ruby).stdout).toBe('Syntax OK\n');
    }
    expect(scoop).toMatchObject({ version, url: `${at}/${tarball}`, hash: await hashOf(tarball) });
    const archive = `svc-${version}-win-x64.zip`;
    expect(winget.Installers).toEqual([
      {
        Architecture: 'x64',
        InstallerUrl: `${at}/${archive}`,
        InstallerSha256: (await hashOf(archive)).toUpperCase(),
      },
    ]);
    const { stdout } = await execute('unzip', ['-Z1', archive], { cwd: release });
    const nested: string = winget.NestedInstallerFiles[0].RelativeFilePath;
    expect(stdout.split('\n')).toContain(nested.replace('\\', '/'));
    const kinds = [...files.keys()].filter((path) => path.startsWith('winget/'));
    const texts = kinds.map((path) => parse(files.get(path) ?? ''));
    expect(texts.map(({ ManifestType }) => ManifestType).sort()).toEqual([
      'defaultLocale',
      'installer',
      'version',
    ]);
    for (const { PackageIdentifier, PackageVersion } of texts)
      expect([PackageIdentifier, PackageVersion]).toEqual(['CollabSvc.Svc', version]);
  });

  it('are not written for files without a checksum', async () => {
    const empty = { version, repository: 'a/b', checksums: new Map(), description, node: '' };
    expect(() => createManifests(empty)).toThrow(`do not list collab-svc-svc-${version}.tgz`);
  });
});

type Answer = (file: string) => Promise<Buffer | undefined>;

const published: Answer = (file) => readFile(join(release, file)).catch(() => undefined);

/** Runs the installer of the release against a server with its files. */
async function install(answer: Answer, setting: InstallSetting = {}) {
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request;
    if (setting.isMoved && !url.startsWith('/moved/')) {
      response.writeHead(302, { location: `http://${headers.host}/moved${url}` }).end();
      return;
    }
    const [, tag = '', file = ''] = url.replace(/^\/moved/, '').split('/');
    const body = tag === `v${version}` ? await answer(file) : undefined;
    response.writeHead(body ? 200 : 404).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const home = await createTemporaryFolder();
  const programs = join(home, 'programs');
  const tmp = join(home, 'tmp');
  await Promise.all([mkdir(programs), mkdir(tmp)]);
  for (const [name, script] of Object.entries(setting.programs ?? {}))
    await writeFile(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const folder = join(home, setting.folder ?? '.local/bin');
  const env = {
    HOME: home,
    TMPDIR: tmp,
    PATH: setting.path ?? `${programs}:${process.env['PATH']}`,
    SVC_INSTALL_DIR: folder,
    SVC_RELEASES: `http://127.0.0.1:${Object(server.address()).port}`,
    ...setting.env,
  };
  const running = execute('/bin/sh', [setting.script ?? join(release, 'install.sh')], { env });
  const { code, stdout, stderr } = await running.then(
    (ended) => ({ code: 0, ...ended }),
    (ended) => ended,
  );
  const left = (await readdir(home, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.parentPath !== programs)
    .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1));
  return { code, stdout, stderr, left, home, folder };
}

interface InstallSetting {
  /** Whether the server redirects to an address without HTTPS. */
  readonly isMoved?: boolean;
  readonly programs?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly folder?: string;
  readonly script?: string;
  readonly env?: Readonly<Record<string, string>>;
}

describe('install.sh', () => {
  it('installs the executable with its completions and man pages', async () => {
    const { code, stdout, stderr, left, folder } = await install(published);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      `Installed svc ${version} in ${folder}\nAdd ${folder} to PATH to run it as svc\n`,
    );
    expect((await execute(join(folder, 'svc'))).stdout).toBe(`${version}\n`);
    expect(left).toEqual(
      expect.arrayContaining([
        '.local/bin/svc',
        '.local/share/man/man1/svc.1',
        '.local/share/bash-completion/completions/svc',
        '.local/share/fish/vendor_completions.d/svc.fish',
        '.local/share/zsh/site-functions/_svc',
      ]),
    );
    expect(left.filter((path) => path.startsWith('tmp/') || path.includes('.svc-'))).toEqual([]);
  });

  const archive = `svc-${version}-linux-${process.arch}.tar.gz`;
  const page = Buffer.from('<html>Log in to the proxy</html>');
  const changedAt =
    (position: number): Answer =>
    async (file) => {
      const body = await published(file);
      if (file === archive && body) body[position % body.length] = (body[position] ?? 0) ^ 1;
      return body;
    };

  it.each<[string, Answer, InstallSetting, string]>([
    ['a changed byte at the start', changedAt(0), {}, 'checksum'],
    ['a changed byte in the middle', changedAt(5_000), {}, 'checksum'],
    ['a page of a proxy instead of the checksums', async () => page, {}, 'proxy'],
    [
      'a page of a proxy instead of the executable',
      async (file) => (file === archive ? page : published(file)),
      {},
      'checksum',
    ],
    ['a redirect out of HTTPS', published, { isMoved: true }, 'cannot download'],
    ['a release without the file', async () => undefined, {}, 'cannot download'],
    ['an unknown system', published, { programs: { uname: 'echo Plan9' } }, 'Plan9'],
    [
      'an unknown machine',
      published,
      { programs: { uname: '[ "$1" = -s ] && echo Linux || echo riscv64' } },
      'riscv64',
    ],
    [
      'a file in place of the folder',
      published,
      { folder: 'programs/x/y', programs: { x: '' } },
      'cannot create',
    ],
    [
      'a folder without permission to write',
      published,
      { env: { SVC_INSTALL_DIR: '/proc' } },
      'cannot write to /proc; set SVC_INSTALL_DIR',
    ],
    [
      'a folder for temporary files without permission to write',
      published,
      { env: { TMPDIR: '/proc' } },
      'cannot create a temporary folder',
    ],
    [
      'an executable that does not run',
      published,
      { programs: { uname: '[ "$1" = -s ] && echo Linux || echo aarch64', tar: 'mkdir -p "$4"' } },
      'does not run',
    ],
  ])('ends with one line and leaves nothing behind after %s', async (_, answer, setting, text) => {
    const { code, stdout, stderr, left } = await install(answer, setting);
    expect({ code, stdout, left }).toEqual({ code: 1, stdout: '', left: [] });
    expect(stderr).toMatch(/^install\.sh: .*\n$/);
    expect(stderr).toContain(text);
  });

  it('ends with one line without curl and wget', async () => {
    const path = await createTemporaryFolder();
    const needed = ['uname', 'sha256sum', 'mktemp', 'rm', 'awk', 'cut', 'tar', 'dirname'];
    for (const name of needed) {
      const { stdout } = await execute('sh', ['-c', `command -v ${name}`]);
      await symlink(stdout.trim(), join(path, name));
    }
    const { code, stderr, left } = await install(published, { path });
    expect({ code, stderr, left }).toEqual({
      code: 1,
      stderr: 'install.sh: curl or wget is required\n',
      left: [],
    });
  });

  it('keeps the installed executable if it cannot be replaced', async () => {
    const { folder } = await install(published);
    await writeFile(join(folder, 'svc'), 'earlier');
    const changed = await install(changedAt(0), { env: { SVC_INSTALL_DIR: folder } });
    expect(changed.code).toBe(1);
    expect(await readFile(join(folder, 'svc'), 'utf8')).toBe('earlier');
    expect(await readdir(dirname(folder))).toEqual(['bin', 'share']);
  });

  it('installs nothing from the checkout before the first release', async () => {
    const script = join(HOME, 'install.sh');
    const { code, stderr, left } = await install(published, { script, env: { SVC_RELEASES: '' } });
    expect({ code, left }).toEqual({ code: 1, left: [] });
    expect(stderr).toBe('install.sh: set SVC_VERSION and SVC_RELEASES: svc has no releases yet\n');
  });
});
