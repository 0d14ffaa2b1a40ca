import type { Parent } from '../../catalog/define.ts';
import type { Database } from '../store/store.ts';

const MAX_OTHERS = 10_000;

/** A parent that does not exist, with the IDs of existing records of its type. */
export interface MissingParent extends Parent {
  readonly others: readonly string[];
}

export async function findMissingParents(
  database: Database,
  apiKey: string,
  parents: readonly Parent[],
): Promise<readonly MissingParent[]> {
  const missing: MissingParent[] = [];
  const known = new Map<string, readonly string[]>();
  for (const parent of parents) {
    const ids = idsOfKind(database, apiKey, parent);
    const [found] = await ids.where('id', '=', parent.id).execute();
    if (found) continue;
    const key = `${parent.kind} ${parent.kind === 'user' ? parent.organizationId : ''}`;
    const others = known.get(key) ?? (await ids.limit(MAX_OTHERS).execute()).map(({ id }) => id);
    known.set(key, others);
    missing.push({ ...parent, others });
  }
  return missing;
}

function idsOfKind(database: Database, apiKey: string, { kind, organizationId }: Parent) {
  const organizations = database
    .selectFrom('organizations')
    .where('organizations.apiKey', '=', apiKey);
  const ids =
    kind === 'organization'
      ? organizations.select('organizations.organizationId as id')
      : organizations
          .innerJoin('users', 'users.organization', 'organizations.key')
          .where('organizations.organizationId', '=', organizationId)
          .select('users.userId as id');
  return database.selectFrom(ids.as('known')).select('known.id as id');
}
