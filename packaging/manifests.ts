import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';

export interface Release {
  readonly version: string;
  /** Repository of the releases: `owner/name`. */
  readonly repository: string;
  /** SHA-256 checksums by file name. */
  readonly checksums: ReadonlyMap<string, string>;
  readonly description: string;
  /** Range of supported Node.js versions. */
  readonly node: string;
}

/** Parses the output of `sha256sum`. */
export function parseChecksums(text: string): ReadonlyMap<string, string> {
  return new Map(
    Array.from(text.matchAll(/^([\da-f]{64}) [ *](\S+)$/gm), ([, hash = '', file = '']) => [
      file,
      hash,
    ]),
  );
}

/** Creates all files by path. */
export function createManifests(release: Release): ReadonlyMap<string, string> {
  return new Map([
    ['homebrew/Formula/svc.rb', createFormula(release)],
    ['scoop/svc.json', `${JSON.stringify(createScoopManifest(release), null, 2)}\n`],
    ...createWingetFiles(release),
  ]);
}

function fileOf({ version, repository, checksums }: Release, file: string) {
  const hash = checksums.get(file);
  if (hash === undefined) throw new Error(`the checksums do not list ${file}`);
  return { url: `https://github.com/${repository}/releases/download/v${version}/${file}`, hash };
}

function tarballOf({ version }: Release): string {
  return `collab-svc-svc-${version}.tgz`;
}

function createFormula(release: Release): string {
  const { url, hash } = fileOf(release, tarballOf(release));
  return `class Svc < Formula
  desc ${JSON.stringify(withoutArticle(release.description))}
  homepage "https://github.com/${release.repository}"
  url "${url}"
  sha256 "${hash}"
  license "MIT"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    man1.install libexec.glob("lib/node_modules/@collab-svc/svc/man/*.1.gz")
    generate_completions_from_executable(bin/"svc", "completion", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/svc --version")
    assert_match "ada", shell_output("#{bin}/svc users add --local --org acme --user ada 2>&1")
  end
end
`;
}

/** Homebrew's descriptions start without an article. */
function withoutArticle(text: string): string {
  const rest = text.replace(/^(?:An?|The) /, '');
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

function createScoopManifest(release: Release) {
  const { url, hash } = fileOf(release, tarballOf(release));
  return {
    version: release.version,
    description: release.description,
    homepage: `https://github.com/${release.repository}`,
    license: 'MIT',
    depends: 'nodejs-lts',
    url,
    hash,
    extract_dir: 'package',
    // Scoop's shims start batch files, but no JavaScript.
    pre_install: `Set-Content "$dir\\svc.cmd" '@node "%~dp0bin\\svc.js" %*' -Encoding Ascii`,
    bin: 'svc.cmd',
    notes: `svc needs Node.js ${release.node}. To complete commands in PowerShell, run: svc completion install powershell`,
    checkver: 'github',
    autoupdate: {
      url: url.replaceAll(release.version, '$version'),
      hash: { url: '$baseurl/SHA256SUMS' },
    },
  };
}

const WINGET_VERSION = '1.10.0';

function createWingetFiles(release: Release): readonly (readonly [string, string])[] {
  const { version, repository, description } = release;
  const name = `svc-${version}-win-x64`;
  const { url, hash } = fileOf(release, `${name}.zip`);
  const id = { PackageIdentifier: 'CollabSvc.Svc', PackageVersion: version };
  const files = {
    '': { ...id, DefaultLocale: 'en-US', ManifestType: 'version' },
    '.installer': {
      ...id,
      InstallerType: 'zip',
      NestedInstallerType: 'portable',
      NestedInstallerFiles: [{ RelativeFilePath: `${name}\\svc.exe`, PortableCommandAlias: 'svc' }],
      Commands: ['svc'],
      Installers: [{ Architecture: 'x64', InstallerUrl: url, InstallerSha256: hash.toUpperCase() }],
      ManifestType: 'installer',
    },
    '.locale.en-US': {
      ...id,
      PackageLocale: 'en-US',
      Publisher: repository.replace(/\/.*/, ''),
      PackageName: 'svc',
      PackageUrl: `https://github.com/${repository}`,
      License: 'MIT',
      LicenseUrl: `https://github.com/${repository}/blob/v${version}/LICENSE`,
      ShortDescription: description,
      Moniker: 'svc',
      ReleaseNotesUrl: `https://github.com/${repository}/releases/tag/v${version}`,
      ManifestType: 'defaultLocale',
    },
  };
  return Object.entries(files).map(([suffix, manifest]) => {
    const kind = manifest.ManifestType;
    const schema = `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${kind}.${WINGET_VERSION}.schema.json`;
    const text = stringify({ ...manifest, ManifestVersion: WINGET_VERSION }, { lineWidth: 0 });
    return [
      `winget/manifests/c/CollabSvc/Svc/${version}/CollabSvc.Svc${suffix}.yaml`,
      `${schema}\n\n${text}`,
    ];
  });
}

/**
 * Writes the files of package managers for a release: a Homebrew formula, a Scoop manifest, and the
 * files of winget.
 */
if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      checksums: { type: 'string', default: 'release/SHA256SUMS' },
      version: { type: 'string' },
      to: { type: 'string', default: 'manifests' },
      /** Repository of the releases: `owner/name`. */
      repository: { type: 'string', default: process.env['GITHUB_REPOSITORY'] ?? '' },
    },
  });
  const { version, repository, to } = values;
  if (version === undefined) throw new Error('--version is required');
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) throw new Error('--repository is required');
  const checksums = parseChecksums(await readFile(values.checksums, 'utf8'));
  const { description, engines } = JSON.parse(await readFile('package.json', 'utf8'));
  const release = { version, repository, checksums, description, node: engines.node };
  for (const [path, text] of createManifests(release)) {
    const file = join(to, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
