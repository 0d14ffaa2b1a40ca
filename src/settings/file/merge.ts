import { createMatcher, identitiesOf } from './identity.ts';
import {
  type Field,
  formatPlace,
  type ListTree,
  type MapTree,
  type Problems,
  type Tree,
  toValue,
} from './tree.ts';

/**
 * Joins the files of a folder: their maps are merged, and their lists of records are concatenated.
 * Reports values that two files declare.
 */
export function joinFiles(files: readonly MapTree[], problems: Problems): MapTree | undefined {
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
export function applyOverlay(base: MapTree, overlay: MapTree): MapTree {
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
