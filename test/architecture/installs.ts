import { parseAllDocuments } from 'yaml';

/** Owners of actions that a page may use. */
const ACTION_OWNERS: readonly string[] = ['actions'];

/** Commands that install a package by name, and those that first run a program of the project. */
const INSTALL_COMMAND =
  /\b(?<tool>npm (?:install|i|add|exec|x)|npx|pnpm (?:add|install|i|dlx)|yarn (?:add|global add|dlx)|bun (?:add|install|i|x)|bunx|brew install|scoop install|winget install|docker (?:pull|run)|podman (?:pull|run))(?=\s)(?<words>[^\n`;|&#]*)/g;

/** Flags of these commands that are followed by a value. */
const VALUE_FLAGS: readonly string[] = ['--prefix', '--cache', '-v', '-p', '-e', '--name'];

/** Flags of npx and npm that name the package to install. */
const PACKAGE_FLAG = /^(?:--package|-p)=(.+)$/;

/**
 * Lists the packages, images, and actions that a text installs by name and that are not in
 * `published`. Paths, tarballs, and variables are not names.
 */
export function findUnpublishedInstalls(
  text: string,
  published: ReadonlySet<string>,
): readonly string[] {
  const joined = text.replaceAll(/\\\n\s*/g, ' ');
  const installed = Array.from(joined.matchAll(INSTALL_COMMAND), ({ groups }) => {
    const { tool = '', words = '' } = groups ?? {};
    return namesIn(tool, words).filter((name) => !published.has(withoutVersion(name)));
  });
  const actions = Array.from(joined.matchAll(/\buses: *['"]?([\w.-]+)\/[\w./-]+@/g), (match) =>
    ACTION_OWNERS.includes(match[1] ?? '') ? [] : [match[0]],
  );
  const scripts = Array.from(
    joined.matchAll(/\b(?:curl|wget)\b[^\n|`]*\|\s*(?:sudo )?(?:ba|z)?sh\b/g),
    ([script]) => [script],
  );
  return [installed, actions, scripts].flat(2);
}

function namesIn(tool: string, words: string): readonly string[] {
  const names: string[] = [];
  let isValue = false;
  for (const word of words.split(/[\s'"]+/).filter(Boolean)) {
    const named = PACKAGE_FLAG.exec(word)?.[1];
    if (named !== undefined) names.push(named);
    else if (isValue) isValue = false;
    else if (word.startsWith('-')) isValue = VALUE_FLAGS.includes(word);
    else if (isPath(word)) continue;
    else if (/^(?:npx|bunx|docker run|podman run)$|(?:exec|x|dlx)$/.test(tool))
      return [...names, word].filter((name) => !isLocalImage(tool, name));
    else names.push(word);
  }
  return names.filter((name) => !isLocalImage(tool, name));
}

/** Whether an image has neither a registry nor an owner, like those that a page builds. */
function isLocalImage(tool: string, name: string): boolean {
  return /^(?:docker|podman) /.test(tool) && !name.includes('/');
}

function isPath(word: string): boolean {
  return /^(?:\.{0,2}\/|\.$|~|\$|file:|<)|\.tgz$/.test(word);
}

function withoutVersion(name: string): string {
  return name.replace(/(?<=.)@[^/]*$/, '');
}

/**
 * Lists the secrets that a GitHub workflow puts into the environment of all jobs or of all steps of
 * a job, where every installed package can read them.
 */
export function findSharedSecrets(workflow: string): readonly string[] {
  return parseAllDocuments(workflow).flatMap((document) => {
    const { env, jobs = {} } = Object(document.toJS());
    const environments = [
      { owner: 'the workflow', env },
      ...Object.entries<{ env?: unknown }>(Object(jobs)).map(([name, job]) => ({
        owner: `job ${name}`,
        env: Object(job).env,
      })),
    ];
    return environments.flatMap(({ owner, env: variables }) =>
      Object.entries(Object(variables))
        .filter(([, value]) =>
          /\$\{\{[^}]*\b(?:secrets\.|secrets\[|github\.token)/.test(String(value)),
        )
        .map(([name]) => `${name} of ${owner}`),
    );
  });
}
