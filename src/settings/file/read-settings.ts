import { inputName } from '../../bulk/source/input-text.ts';
import type { SettingsFields } from '../../catalog/settings.ts';
import { SvcError } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { checkSettings, withTypedVariables } from './check.ts';
import { createMatcher, identitiesOf, withStandardNames } from './identity.ts';
import { type FilesRequest, type ReadFile, readFiles } from './read-files.ts';
import { readTree } from './read-tree.ts';
import {
  type Field,
  fieldOf,
  formatPlace,
  type ListTree,
  type MapTree,
  Problems,
  type Tree,
  toValue,
  withFields,
} from './tree.ts';
import { readVariables, type Variables, withVariables } from './variables.ts';

/** An invalid settings file, with all of its problems. Each problem starts with its position. */
export class SettingsError extends SvcError {
  readonly problems: readonly string[];

  constructor(name: string, problems: readonly string[]) {
    const [only = ''] = problems;
    super(
      'invalid_input',
      problems.length === 1 ? only : `${name}: ${problems.length} problems: ${problems.join('; ')}`,
    );
    this.problems = problems;
  }
}

export interface SettingsContent {
  readonly name: string;
  readonly files: readonly ReadFile[];
  /** The values with variables and the overlay of the environment applied, and the overlays. */
  readonly tree: MapTree;
  readonly fields: SettingsFields;
}

/** The texts of settings files. */
export interface SettingsTexts {
  readonly name: string;
  readonly files: readonly ReadFile[];
  readonly environment: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Like `parseSettings`, for a file or a folder.
 * @throws SvcError also if the file does not exist
 */
export async function readSettings(
  request: FilesRequest & { readonly environment: string | undefined },
): Promise<SettingsContent> {
  const { file, environment, signal } = request;
  return parseSettings({
    name: inputName(file),
    files: await readFiles(request),
    environment,
    signal,
  });
}

/**
 * Rejects with the signal's reason if the signal is aborted.
 * @throws SettingsError with all problems; SvcError `usage` if the environment does not exist
 */
export async function parseSettings({
  name,
  files,
  environment,
  signal,
}: SettingsTexts): Promise<SettingsContent> {
  const problems = new Problems();
  const trees: MapTree[] = [];
  for (const file of files) {
    const tree = await readTree(file, problems, signal);
    if (tree) trees.push(tree);
  }
  const source =
    trees.length === files.length ? joinFiles(trees.map(withStandardNames), problems) : undefined;
  if (!source) throw new SettingsError(name, problems.texts);
  if (environment !== undefined) requireEnvironment(source, environment, name);
  const tree = withTypedVariables(resolveTree(source, environment, problems));
  const fields = checkSettings(tree, problems);
  if (!fields || problems.texts.length > 0) throw new SettingsError(name, problems.texts);
  return { name, files, tree, fields };
}

export function environmentsOf(tree: MapTree): readonly string[] {
  const environments = fieldOf(tree, 'environments')?.tree;
  return environments?.kind === 'map' ? [...environments.fields.keys()] : [];
}

function requireEnvironment(tree: MapTree, environment: string, name: string): void {
  const known = environmentsOf(tree);
  if (known.includes(environment)) return;
  const hint =
    known.length > 0 ? didYouMean(environment, known) : `${name} declares no environments`;
  throw new SvcError('usage', `unknown environment '${environment}' in ${name}`, { hint });
}

/** Fields of an environment that name its target instead of overriding a value of the file. */
const TARGET_FIELDS: ReadonlySet<string> = new Set(['profile', 'baseUrl']);

/**
 * Applies variables to the file and to every environment, then the overlay of one environment to
 * the file.
 */
function resolveTree(
  joined: MapTree,
  environment: string | undefined,
  problems: Problems,
): MapTree {
  const variables = readVariables(fieldOf(joined, 'vars')?.tree, problems);
  const variablesOf = (overlay: Tree): Variables =>
    new Map([...variables, ...readVariables(fieldOf(overlay, 'vars')?.tree, problems)]);
  const overlays = withFields(joined, (tree, name) => {
    if (name !== 'environments' || tree.kind !== 'map') return tree;
    return withFields(tree, (overlay) => resolveOverlay(overlay, variablesOf(overlay), problems));
  });
  const chosen =
    environment === undefined
      ? undefined
      : fieldOf(fieldOf(overlays, 'environments')?.tree, environment);
  const overlay = chosen?.tree;
  const base = withVariables(
    overlays,
    overlay ? variablesOf(overlay) : variables,
    problems,
  ) as MapTree;
  if (overlay?.kind !== 'map') return base;
  return applyOverlay(
    base,
    withFields(overlay, (tree, name) => (TARGET_FIELDS.has(name) ? undefined : tree)),
  );
}

function resolveOverlay(overlay: Tree, variables: Variables, problems: Problems): Tree {
  if (overlay.kind !== 'map') return overlay;
  return withVariables(withStandardNames(overlay), variables, problems);
}

/**
 * Joins the files of a folder: their maps are merged, and their lists of records are concatenated.
 * Reports values that two files declare.
 */
function joinFiles(files: readonly MapTree[], problems: Problems): MapTree | undefined {
  const [first, ...others] = files;
  return others.reduce<MapTree | undefined>(
    (whole, file) => whole && joinMaps(whole, file, problems),
    first,
  );
}

function joinMaps(whole: MapTree, file: MapTree, problems: Problems, path = ''): MapTree {
  const fields = new Map(whole.fields);
  for (const [name, field] of file.fields) {
    const earlier = fields.get(name);
    fields.set(
      name,
      earlier
        ? { ...earlier, tree: joinValues(earlier, field, problems, `${path}${name}`) }
        : field,
    );
  }
  return { ...whole, fields };
}

function joinValues(
  { key, tree: earlier }: Field,
  later: Field,
  problems: Problems,
  path: string,
): Tree {
  const { tree } = later;
  if (earlier.kind === 'map' && tree.kind === 'map')
    return joinMaps(earlier, tree, problems, `${path}.`);
  if (earlier.kind === 'list' && tree.kind === 'list' && identitiesOf(path.split('.').at(-1) ?? ''))
    return { ...earlier, items: [...earlier.items, ...tree.items] };
  const isSame =
    path === 'svc' &&
    earlier.kind === 'scalar' &&
    tree.kind === 'scalar' &&
    earlier.value === tree.value;
  if (!isSame) problems.add(later.key, `is already declared at ${formatPlace(key)}`, { path });
  return earlier;
}

/**
 * Lays the values of an environment over a tree. Maps are merged, records are merged with the
 * record of the same identity or added, and all other values are replaced.
 */
function applyOverlay(base: MapTree, overlay: MapTree): MapTree {
  const fields = new Map(base.fields);
  for (const [name, field] of overlay.fields) {
    const below = fields.get(name);
    fields.set(
      name,
      below ? { ...field, tree: overlayValue(below.tree, field.tree, name) } : field,
    );
  }
  return { ...base, fields };
}

function overlayValue(base: Tree, over: Tree, name: string): Tree {
  if (base.kind === 'map' && over.kind === 'map' && !isSource(over))
    return applyOverlay(base, over);
  if (base.kind !== 'list' || over.kind !== 'list' || !identitiesOf(name)) return over;
  return overlayRecords(base, over, name);
}

/**
 * Whether a map names the source of a secret or of records. Sources are replaced: two of them
 * cannot be merged.
 */
function isSource({ fields }: MapTree): boolean {
  return fields.size === 1 && ['env', 'file', 'from'].some((name) => fields.has(name));
}

function overlayRecords(base: ListTree, over: ListTree, name: string): ListTree {
  const find = createMatcher(name, base.items, toValue);
  const changes = new Map<Tree, Tree>();
  const added: Tree[] = [];
  for (const record of over.items) {
    const match = find(toValue(record));
    if (!match) added.push(record);
    else if (match.kind === 'map' && record.kind === 'map')
      changes.set(match, applyOverlay(match, record));
  }
  return { ...base, items: [...base.items.map((item) => changes.get(item) ?? item), ...added] };
}
