import { sql } from 'kysely';
import type { State } from '../../catalog/state.ts';
import { addUserData, insertParticipants, toUserDataItem } from '../records/user-data.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import { prepareDelete } from '../store/statements.ts';
import { type Tables, USER_DATA_FEATURES, type UserDataFeature } from '../store/tables.ts';
import {
  batchByOrganization,
  type OrganizationQuery,
  readByOrganization,
  type Section,
  type StateScope,
} from './section.ts';

type ParticipantItem = Pick<Tables['userData'], 'feature' | 'documentId' | 'data'> & {
  readonly userId: string;
};

const selectItems = prepareQuery(
  (_, { organization }: OrganizationQuery) => sql<ParticipantItem>`
    select "userId", "userData".feature, "documentId", data from participants join "userData" on "userData".key = item
    where participants.organization = ${organization} order by "userId", "userData".key`,
);

const deleteParticipation = prepareDelete('participants');

const deleteOrphanedItems = prepareQuery(
  (_, { organization }: OrganizationQuery) =>
    sql`delete from "userData" where organization = ${organization} and key not in (select item from participants)`,
);

/** Lists of items by user. An item with several participants is in the lists of each of them. */
export const userData: Section<'userData'> = {
  read: (scope) =>
    readByOrganization(scope, selectByUser, (organizationId, { userId, rows }) => {
      const lists = Map.groupBy(rows, ({ feature }) => feature);
      const listOf = (feature: UserDataFeature) => (lists.get(feature) ?? []).map(toUserDataItem);
      return {
        organizationId,
        userId,
        ...Object.fromEntries(USER_DATA_FEATURES.map((feature) => [feature, listOf(feature)])),
      };
    }),

  write: async (scope, records) => {
    const changed = new Set<number>();
    for (const [organization, batch] of batchByOrganization(scope, records)) {
      changed.add(organization);
      for (const record of batch) await writeLists(scope, organization, record);
    }
    for (const organization of changed) await deleteOrphanedItems(scope.database, { organization });
  },
};

const selectByUser = async (...[database, query]: Parameters<typeof selectItems>) => {
  const byUser = Map.groupBy(await selectItems(database, query), ({ userId }) => userId);
  return [...byUser].map(([userId, rows]) => ({ userId, rows }));
};

async function writeLists(
  { database }: StateScope,
  organization: number,
  record: State['userData'][number],
): Promise<void> {
  const { userId } = record;
  for (const feature of USER_DATA_FEATURES) {
    const items = record[feature];
    if (!items) continue;
    await deleteParticipation(database, { organization, userId, feature });
    const participants = [];
    for (const data of items) {
      const item = await addUserData(database, organization, feature, data);
      participants.push({ organization, userId, feature, item });
    }
    await insertParticipants(database, participants);
  }
}
