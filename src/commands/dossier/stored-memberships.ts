import { removeSecrets } from '../../kernel/remove-secrets.ts';
import type { Context } from '../context.ts';

const NOTHING = { lines: [], counts: {}, removed: 0 };

/**
 * Reads the profile, memberships, groups, and presence of a user from the store of the embedded
 * service. No operation of the API returns them, so a dossier of another service has none.
 * @returns the lines for the file of the organization, and their number by list
 */
export async function readStoredMemberships(
  context: Context,
  organizationId: string,
  userId: string,
) {
  if (!context.options.local) return NOTHING;
  const [{ readMembershipsOf }, { withStore }] = await Promise.all([
    import('../../service/local/reading/memberships.ts'),
    import('../connection/embedded-store.ts'),
  ]);
  const lists = await withStore(context, 'read', (store, apiKey, { time }) =>
    readMembershipsOf(store, { apiKey, now: time.now(), organizationId, userId }),
  );
  const counts = Object.entries(lists).map(([list, records]) => [list, records.length]);
  let removed = 0;
  const lines = Object.entries(lists).flatMap(([list, records]) =>
    records.map((record) => {
      const cleaned = removeSecrets(record);
      removed += cleaned.removed;
      return `${JSON.stringify({ list, record: cleaned.value })}\n`;
    }),
  );
  const byList: Readonly<Record<string, number>> = Object.fromEntries(counts);
  return { lines, counts: byList, removed };
}
