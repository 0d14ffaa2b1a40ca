import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { TARGETS, type Target } from './executable/targets.ts';
import { releaseNotes } from './release-notes.ts';

/**
 * Collects the files of a release in a new folder: the npm tarball, an archive for each executable
 * that was built, the bill of materials, the installer, their checksums, and the notes. Run
 * `npm run build:package` first, and `npm run build:executables` with the wanted targets.
 */
const { values } = parseArgs({
  options: {
    to: { type: 'string', default: 'release' },
    /** Folder of the package, and of the executables. */
    package: { type: 'string', default: 'dist' },
    executables: { type: 'string', default: 'executables' },
    /** Address of the releases, for the installer: `https://…/releases/download`. */
    releases: { type: 'string', default: '@RELEASES@' },
  },
});
const to = resolve(values.to);
const { version } = JSON.parse(await readFile(join(values.package, 'package.json'), 'utf8'));

await mkdir(to, { recursive: true });
execFileSync('npm', ['pack', resolve(values.package), '--pack-destination', to], { stdio: 'pipe' });
await cp(join(values.package, 'sbom.cdx.json'), join(to, 'svc.cdx.json'));
const installer = (await readFile('install.sh', 'utf8'))
  .replace('@VERSION@', version)
  .replace('@RELEASES@', values.releases);
await writeFile(join(to, 'install.sh'), installer, { mode: 0o755 });
const built: readonly string[] = await readdir(values.executables).catch(() => []);
for (const target of TARGETS)
  if (built.includes(`svc-${target.name}${target.suffix}`)) await archive(target);
await writeFile(join(to, 'SHA256SUMS'), await checksums(to));
await writeFile(
  join(to, 'notes.md'),
  releaseNotes(await readFile('CHANGELOG.md', 'utf8'), version),
);

/**
 * Archives an executable with its licenses, completions, and man pages. The same files always
 * produce the same bytes: sorted, with one time and one owner.
 */
async function archive({ name, suffix, node }: Target): Promise<void> {
  const folder = `svc-${version}-${name}`;
  const work = await mkdtemp(join(tmpdir(), 'svc-archive-'));
  try {
    const root = join(work, folder);
    await mkdir(root);
    await cp(join(values.executables, `svc-${name}${suffix}`), join(root, `svc${suffix}`));
    await cp('LICENSE', join(root, 'LICENSE'));
    await cp(
      join(values.package, 'THIRD-PARTY-NOTICES.txt'),
      join(root, 'THIRD-PARTY-NOTICES.txt'),
    );
    await cp(join('node_modules', ownNodePackage(), 'LICENSE'), join(root, 'LICENSE-NODE'));
    await cp('completions', join(root, 'completions'), { recursive: true });
    await cp('docs/man', join(root, 'man'), { recursive: true });
    execFileSync('chmod', ['-R', 'u=rwX,go=rX', root]);
    execFileSync('find', [root, '-exec', 'touch', '--date=@0', '{}', '+']);
    if (node.program.endsWith('.exe')) zip(work, folder);
    else tar(work, folder);
  } finally {
    await rm(work, { recursive: true });
  }
}

function tar(cwd: string, folder: string): void {
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--format=ustar'];
  const program = 'gzip --no-name';
  const file = join(to, `${folder}.tar.gz`);
  const words = ['--create', '--sort=name', ...owner, `--use-compress-program=${program}`];
  execFileSync('tar', [...words, '--file', file, folder], { cwd });
}

function zip(cwd: string, folder: string): void {
  const paths = execFileSync('find', [folder, '-type', 'f'], { cwd, encoding: 'utf8' });
  const input = `${paths.trim().split('\n').sort().join('\n')}\n`;
  const env = { ...process.env, TZ: 'UTC' };
  const file = join(to, `${folder}.zip`);
  execFileSync('zip', ['-q', '-X', file, '-@'], { cwd, env, input });
}

/** The license of Node.js is the same for all platforms. */
function ownNodePackage(): string {
  const own = TARGETS.find(({ name }) => name === `${process.platform}-${process.arch}`);
  if (own === undefined) throw new Error('releases are built on Linux');
  return own.node.package;
}

async function checksums(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => !/^(SHA256SUMS|notes\.md)$/.test(name));
  const lines = names.sort().map(async (name) => {
    const hash = createHash('sha256').update(await readFile(join(folder, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  return (await Promise.all(lines)).join('');
}
