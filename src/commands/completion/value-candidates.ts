import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { currentPlatform } from '../../kernel/process.ts';
import type { CommandTarget } from '../../profiles/target.ts';
import type { OptionDefinition } from '../definition.ts';
import type { IdKind } from '../ids/id-cache.ts';
import { longName, optionalProperty } from '../options.ts';
import { SHELLS } from '../shells/shells.ts';
import { argumentsOf, type LoadedLeaf } from '../tree/leaf.ts';
import { type Candidate, type CompletionDependencies, toCandidates } from './candidate.ts';
import type { TypedLine } from './typed-line.ts';

export type CompletionRequest = TypedLine & CompletionDependencies;
type Candidates = Promise<readonly Candidate[]> | readonly Candidate[];
type CandidateSource = (request: CompletionRequest) => Candidates;

const ids =
  (kind: IdKind): CandidateSource =>
  async (request) => {
    const { idScopeOf, readCachedIds } = await import('../ids/id-cache.ts');
    const target = await findTarget(request);
    return target ? toCandidates(await readCachedIds(request, idScopeOf(target), kind)) : [];
  };

/** Resolves the target of the typed line; undefined if its parts contradict each other. */
async function findTarget({
  givenFlags,
  environment,
  cwd,
  folders,
}: CompletionRequest): Promise<CommandTarget | undefined> {
  const { resolveTarget } = await import('../../profiles/resolve.ts');
  const flags = {
    ...optionalProperty('profile', givenFlags.get('profile')),
    ...optionalProperty('baseUrl', givenFlags.get('base-url')),
  };
  const embedded = givenFlags.has('local') ? { embedded: {} } : {};
  const request = { flags, environment, cwd, folders, ...embedded };
  return resolveTarget(request).catch(() => undefined);
}

const loadEvents = async () => (await import('../../catalog/events.ts')).EVENT_TYPES;

const events: CandidateSource = async () => {
  const types = await loadEvents();
  return types.map(({ name, description }) => ({ value: name, description }));
};

const triggers: CandidateSource = async ({ node }) => {
  const types = await loadEvents();
  const known = node.path[0] === 'email' ? types.filter(({ email }) => email) : types;
  return known.flatMap(({ name, description }) =>
    ['=true', '=false'].map((state) => ({ value: name + state, description })),
  );
};

const paths: CandidateSource = async () => {
  const { manifest } = await import('../../catalog/manifest.ts');
  return [
    ...new Map(
      manifest.map(({ path, summary }) => [path, { value: path, description: summary }]),
    ).values(),
  ];
};

/**
 * Files and folders. Shells expand `~` only at the start of a word, so `--flag=~` has no
 * candidates.
 */
const files: CandidateSource = (request) =>
  request.prefix && request.partial.startsWith('~') ? [] : fileCandidates(request.partial, request);

const textFiles: CandidateSource = async (request) => {
  if (!request.partial.startsWith('@')) return [];
  return (await fileCandidates(request.partial.slice(1), request)).map(({ value }) => ({
    value: `@${value}`,
  }));
};

const profiles: CandidateSource = async ({ folders }) => {
  const { readProfiles } = await import('../../profiles/profiles-file.ts');
  const { profiles: known } = await readProfiles(folders);
  return [...known].map(([value, { baseUrl = '' }]) => ({ value, description: baseUrl }));
};

const jobs: CandidateSource = async ({ folders }) => {
  const names = await readdir(join(folders.state, 'jobs')).catch(() => []);
  return toCandidates(new Set(names.map((name) => name.replace(/\..*$/, '')))).reverse();
};

/** Candidates by the name of the flag or argument. Flags with choices have no entry. */
const BY_NAME: Readonly<Record<string, CandidateSource>> = {
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
  events,
  event: events,
  trigger: triggers,
  data: textFiles,
  content: textFiles,
  store: files,
  file: files,
  path: files,
  job: jobs,
  fields: fieldCandidates,
  sort: fieldCandidates,
  shell: () => toCandidates(SHELLS),
  operation: operations,
};

async function operations(): Promise<readonly Candidate[]> {
  const { outline } = await import('../../catalog/outline.ts');
  return outline.map(({ name, summary }) => ({ value: name, description: summary }));
}

/** Overrides of `BY_NAME` in a command group: `profiles use <name>`, `jobs show <id>`. */
const BY_GROUP: Readonly<Record<string, Readonly<Record<string, CandidateSource>>>> = {
  profiles: { name: profiles, old: profiles },
  jobs: { id: jobs },
  api: { path: paths },
  history: { clear: () => toCandidates(['clear']) },
};

export function valueCandidates(flag: OptionDefinition, request: CompletionRequest): Candidates {
  if (flag.choices) return toCandidates(flag.choices);
  if (/<(path|file|dir|folder-path)>/.test(flag.flags)) return files(request);
  return candidatesByName(longName(flag), request);
}

export async function operandCandidates(request: CompletionRequest): Promise<readonly Candidate[]> {
  const operands = request.leaf ? argumentsOf(request.leaf) : [];
  const last = operands.at(-1);
  const operand = operands[request.operands.length] ?? (last?.many ? last : undefined);
  if (!operand) return [];
  const candidates = await candidatesByName(operand.name, request);
  return candidates.filter(({ value }) => !request.operands.includes(value));
}

function candidatesByName(name: string, request: CompletionRequest): Candidates {
  const [group = ''] = request.node.path;
  return (BY_GROUP[group]?.[name] ?? BY_NAME[name])?.(request) ?? [];
}

function fieldCandidates({ leaf, partial }: TypedLine): readonly Candidate[] {
  const [names, columns] = leaf ? resultOf(leaf) : [[], []];
  const start = partial.lastIndexOf(',') + 1;
  const before = partial.slice(0, start);
  const given = before.toLowerCase().split(',');
  const headerOf = new Map(columns.map(({ field, header }) => [field, header]));
  const isHeader = /^[A-Z]/.test(partial.slice(start));
  const candidates = isHeader
    ? columns.map(({ header, field }) => ({ value: header, description: field }))
    : names.map((name) => ({ value: name, description: headerOf.get(name) ?? '' }));
  return candidates
    .filter(({ value }) => !given.includes(value.toLowerCase()))
    .map(({ value, ...rest }) => ({ value: before + value, ...rest }));
}

function resultOf(leaf: LoadedLeaf) {
  if (leaf.kind === 'operation')
    return [leaf.versions[0].fields, leaf.versions[0].columns ?? []] as const;
  const { columns = [] } = leaf.definition;
  return [columns.map(({ field }) => field), columns] as const;
}

const MAX_NAMES = 500;

async function fileCandidates(
  typed: string,
  dependencies: CompletionDependencies,
): Promise<Candidate[]> {
  const { cwd, environment, platform = currentPlatform } = dependencies;
  const isWindows = platform === 'win32';
  const end = Math.max(typed.lastIndexOf('/'), isWindows ? typed.lastIndexOf('\\') : -1) + 1;
  const [folder, partialName] = [typed.slice(0, end), typed.slice(end)];
  const separator = folder.endsWith('\\') ? '\\' : '/';
  const path = isWindows ? folder.replaceAll('\\', '/') : folder;
  const home = environment['HOME'] ?? (isWindows ? environment['USERPROFILE'] : undefined);
  const real = home && path.startsWith('~/') ? join(home, path.slice(2)) : resolve(cwd, path);
  const entries = await readdir(real, { withFileTypes: true }).catch(() => []);
  const matching = entries
    .filter(
      ({ name }) =>
        name.startsWith(partialName) && (partialName.startsWith('.') || !name.startsWith('.')),
    )
    .sort((a, b) => a.name.localeCompare(b.name, 'en'))
    .slice(0, MAX_NAMES);
  return Promise.all(
    matching.map(async (entry) => {
      const found = entry.isSymbolicLink()
        ? await stat(join(real, entry.name)).catch(() => undefined)
        : entry;
      return { value: `${folder}${entry.name}${found?.isDirectory() ? separator : ''}` };
    }),
  );
}
