/** Returns the notes of a release: its section of the changelog, and how to verify the files. */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => titleOf(text) === version);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version}`);
  return `${section.slice(section.indexOf('\n')).trim()}

## Verify the files

\`sha256sum --check SHA256SUMS\` checks the files, \`gh attestation verify <file>\` shows which workflow built one, and
\`npm audit signatures\` checks an installed package. There are executables for Linux (x64, arm64) and Windows (x64). On
other platforms, install the npm package.
`;
}

function titleOf(section: string): string {
  return /^\[?([^\]\s]+)/.exec(section)?.[1] ?? '';
}
