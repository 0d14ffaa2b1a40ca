import { outline } from '../../catalog/outline.ts';
import { VARIABLES } from '../../kernel/variables.ts';
import type { OptionDefinition } from '../definition.ts';
import type { IdKind } from '../ids/id-cache.ts';
import { SHELLS } from '../shells/shells.ts';
import type { LoadedLeaf } from '../tree/leaf.ts';
import { type Candidate, type CompletionDependencies, plainly } from './candidate.ts';
import { fileCandidates } from './files.ts';
import { longName, type TypedLine } from './typed-line.ts';

type Values = (
  line: TypedLine,
  dependencies: CompletionDependencies,
) => Promise<readonly Candidate[]> | readonly Candidate[];

const ids =
  (kind: IdKind): Values =>
  async ({ given }, dependencies) => {
    const { knownIds } = await import('../ids/id-cache.ts');
    const local = given.has('local');
    const profile = local ? undefined : await profileInUse(given.get('profile'), dependencies);
    return plainly(await knownIds(dependencies, { local, profile }, kind));
  };

/** As settings choose it, without reading anything else of them: no secret is needed here. */
async function profileInUse(
  named: string | undefined,
  { environment, cwd, folders }: CompletionDependencies,
): Promise<string | undefined> {
  const early = named ?? environment[VARIABLES.profile];
  if (early) return early;
  const { folderSettings } = await import('../../profiles/folder-settings.ts');
  const { readProfiles } = await import('../../profiles/book.ts');
  return (await folderSettings(cwd))?.settings.profile || (await readProfiles(folders)).current;
}

const events: Values = async () => {
  const { EVENT_TYPES } = await import('../../catalog/events.ts');
  return EVENT_TYPES.map(({ name, describes }) => ({ value: name, describes }));
};

/** What e-mail is sent for is fewer than what webhooks are. */
const triggers: Values = async ({ node }) => {
  const { EVENT_TYPES } = await import('../../catalog/events.ts');
  const known = node.path[0] === 'email' ? EVENT_TYPES.filter(({ email }) => email) : EVENT_TYPES;
  return known.flatMap(({ name, describes }) =>
    ['=true', '=false'].map((state) => ({ value: name + state, describes })),
  );
};

const paths: Values = async () => {
  const { manifest } = await import('../../catalog/manifest.ts');
  return [...new Map(manifest.map(({ path, summary }) => [path, { value: path, describes: summary }])).values()];
};

/** Shells know the home folder at the beginning of a word only. */
const files: Values = ({ typed, lead }, dependencies) =>
  lead && typed.startsWith('~') ? [] : fileCandidates(typed, dependencies);

/** A text that `@` says is in a file. */
const textFiles: Values = async ({ typed }, dependencies) =>
  typed.startsWith('@')
    ? (await fileCandidates(typed.slice(1), dependencies)).map(({ value }) => ({ value: `@${value}` }))
    : [];

const profiles: Values = async (_, { folders }) => {
  const { readProfiles } = await import('../../profiles/book.ts');
  const { profiles: known } = await readProfiles(folders);
  return [...known].map(([value, { baseUrl = '' }]) => ({ value, describes: baseUrl }));
};

const jobs: Values = async (_, { folders }) => {
  const { readdir } = await import('node:fs/promises');
  const { join } = await import('node:path');
  const names = await readdir(join(folders.state, 'jobs')).catch(() => []);
  return plainly(new Set(names.map((name) => name.replace(/\..*$/, '')))).reverse();
};

/** The values of flags and arguments by what they are called, where the catalog does not list them. */
const BY_NAME: Readonly<Record<string, Values>> = {
  profile: profiles,
  org: ids('organization'),
  folder: ids('folder'),
  parent: ids('folder'),
  document: ids('document'),
  user: ids('user'),
  'notify-user': ids('user'),
  'action-user': ids('user'),
  group: ids('group'),
  agentId: ids('agent'),
  endpointId: ids('endpoint'),
  endpoint: ids('endpoint'),
  'filter-type': events,
  event: events,
  trigger: triggers,
  data: textFiles,
  content: textFiles,
  store: files,
  file: files,
  path: files,
  job: jobs,
  shell: () => plainly(SHELLS),
  operation: () => outline.map(({ name, summary }) => ({ value: name, describes: summary })),
};

/** Names mean something else below some commands: `profiles use <name>`, `jobs show <id>`. */
const BELOW: Readonly<Record<string, Readonly<Record<string, Values>>>> = {
  profiles: { name: profiles, old: profiles },
  jobs: { id: jobs },
  api: { path: paths },
  history: { clear: () => plainly(['clear']) },
};

/** The candidates for the value of a flag. */
export function valueCandidates(
  flag: OptionDefinition,
  line: TypedLine,
  dependencies: CompletionDependencies,
): Promise<readonly Candidate[]> | readonly Candidate[] {
  if (flag.choices) return plainly(flag.choices);
  if (/<(path|file|dir|folder-path)>/.test(flag.flags)) return files(line, dependencies);
  return named(longName(flag), line, dependencies);
}

/** The candidates for a word that is no flag: an argument of the command. */
export async function operandCandidates(
  leaf: LoadedLeaf | undefined,
  line: TypedLine,
  dependencies: CompletionDependencies,
): Promise<readonly Candidate[]> {
  const names = leaf ? argumentNames(leaf) : [];
  const many = leaf?.kind === 'tool' ? leaf.definition.arguments?.at(-1)?.many : leaf?.versions[0].argument?.many;
  const name = names[line.operands.length] ?? (many ? names.at(-1) : undefined);
  if (name === undefined) return [];
  const candidates = await named(name, line, dependencies);
  return candidates.filter(({ value }) => !line.operands.includes(value));
}

function argumentNames(leaf: LoadedLeaf): readonly string[] {
  if (leaf.kind === 'tool') return (leaf.definition.arguments ?? []).map(({ name }) => name);
  const { argument } = leaf.versions[0];
  return argument ? [argument.field] : [];
}

function named(
  name: string,
  line: TypedLine,
  dependencies: CompletionDependencies,
): Promise<readonly Candidate[]> | readonly Candidate[] {
  const [group = ''] = line.node.path;
  return (BELOW[group]?.[name] ?? BY_NAME[name])?.(line, dependencies) ?? [];
}
