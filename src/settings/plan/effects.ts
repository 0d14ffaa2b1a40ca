import type { State } from '../../catalog/state.ts';
import { valueAt } from '../../kernel/field-path.ts';
import { quoteId } from '../../kernel/id-text.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { diffRecords } from '../differ.ts';
import { CONFIG_NAMES, CONFIGS } from '../kinds.ts';
import type { PlannedItem, PlannedWrite } from '../plan.ts';
import { createRecordKey, type RecordKey } from '../settings.ts';

type Folder = State['folders'][number];

interface Transition {
  readonly before: State;
  readonly after: State;
  readonly writes: readonly PlannedWrite[];
}

/** Describes what writes change beyond the fields that they set, as sentences. */
export function describeEffects(transition: Transition): readonly string[] {
  return [
    ...describeNewOrganizations(transition),
    ...describeFolderEffects(transition),
    ...describeConfigEffects(transition),
  ];
}

function describeNewOrganizations({ before, after, writes }: Transition): readonly string[] {
  const known = new Set(before.organizations.map(({ organizationId }) => organizationId));
  for (const { data } of itemsOf(writes, 'organizations.add'))
    known.add(String(data['organizationId']));
  return after.organizations
    .filter(({ organizationId }) => !known.has(organizationId))
    .map(
      ({ organizationId }) =>
        `organization ${quoteId(organizationId)} is created if it does not exist`,
    );
}

/** Describes folders that move with their parent, or get the access of another parent. */
function describeFolderEffects({ before, after, writes }: Transition): readonly string[] {
  const earlier = new Map(before.folders.map((folder) => [keyOf(folder), folder]));
  const written = new Set(itemsOf(writes, 'folders.update').map(({ data }) => keyOf(data)));
  const added: Folder[] = [];
  const restricted: Folder[] = [];
  let moved = 0;
  for (const folder of after.folders) {
    const old = earlier.get(keyOf(folder));
    if (!old) added.push(folder);
    else if (old.accessType !== folder.accessType) restricted.push(folder);
    const isMoved = old && old.ancestors?.join() !== folder.ancestors?.join();
    if (isMoved && !written.has(keyOf(folder))) moved += 1;
  }
  const inherited = added.filter(
    ({ inheritAccessFromParent, accessType }) => inheritAccessFromParent && accessType !== 'public',
  );
  const sentences = [
    ...describeAccess(restricted, (one) => (one ? 'becomes' : 'become')),
    ...describeAccess(inherited, (one) =>
      one ? 'inherits the access type' : 'inherit the access type',
    ),
  ];
  if (moved === 0) return sentences;
  return [
    `${formatNounCount(moved, 'subfolder')} ${moved === 1 ? 'moves' : 'move'} with the parent folder`,
    ...sentences,
  ];
}

function describeAccess(
  folders: readonly Folder[],
  verb: (isOne: boolean) => string,
): readonly string[] {
  const byAccess = Map.groupBy(folders, ({ accessType }) => accessType ?? 'public');
  return Array.from(
    byAccess,
    ([access, { length }]) =>
      `${formatNounCount(length, 'folder')} ${verb(length === 1)} ${access}`,
  );
}

/**
 * Describes settings that the service changes as a side effect, such as triggers that the first
 * enable turns on.
 */
function describeConfigEffects({ before, after, writes }: Transition): readonly string[] {
  return CONFIG_NAMES.flatMap((name) => {
    const [item] = itemsOf(writes, CONFIGS[name].update);
    if (item === undefined) return [];
    const changes = diffRecords(before.config[name], after.config[name], { fieldsOf: 'both' });
    const effects = changes.filter(({ path }) => valueAt(item.data, path) === undefined);
    const triggers = effects.filter(({ path }) => path.includes('triggers')).length;
    const sentences = effects
      .filter(({ path }) => !path.includes('triggers'))
      .map(({ field, after: value }) => `${name}: ${field} becomes ${JSON.stringify(value)}`);
    if (triggers === 0) return sentences;
    return [
      `enabling ${name} for the first time turns on ${formatNounCount(triggers, 'trigger')}`,
      ...sentences,
    ];
  });
}

function itemsOf(
  writes: readonly PlannedWrite[],
  operation: string,
): readonly Pick<PlannedItem, 'data'>[] {
  return writes
    .filter((write) => write.operation === operation)
    .flatMap(({ shared, items }) => items.map(({ data }) => ({ data: { ...shared, ...data } })));
}

function keyOf({ organizationId, folderId }: Readonly<Record<string, unknown>>): RecordKey {
  return createRecordKey('folders', String(organizationId), String(folderId));
}
