import { inputName } from '../../bulk/source/input-text.ts';
import type { SettingsFields } from '../../catalog/settings.ts';
import { SvcError } from '../../kernel/errors.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { checkSettings, withTypedVariables } from './check.ts';
import { withStandardNames } from './identity.ts';
import { applyOverlay, joinFiles } from './merge.ts';
import { type FilesRequest, type ReadFile, readFiles } from './read-files.ts';
import { readTree } from './read-tree.ts';
import { fieldOf, type MapTree, Problems, type Tree, withFields } from './tree.ts';
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
