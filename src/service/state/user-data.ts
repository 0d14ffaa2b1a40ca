import type { State } from '../../catalog/state.ts';
import { addUserData, insertParticipants, toUserDataItem } from '../records/user-data.ts';
import { prepareQuery } from '../store/prepared-query.ts';
import { chunkRows, prepareDelete } from '../store/statements.ts';
import { USER_DATA_FEATURES, type UserDataFeature } from '../store/tables.ts';
import { batchByOrganization, type OrganizationQuery, readByOrganization, type Section, type StateScope } from './section.ts';

const select = prepareQuery((database, { organization }: OrganizationQuery) =>
  database
    .selectFrom('participants')
    .innerJoin('userData', 'userData.key', 'participants.item')
    .select(['participants.userId', 'userData.feature', 'userData.documentId', 'userData.data'])
    .where('participants.organization', '=', organization)
    .orderBy('participants.userId')
    .orderBy('userData.key'),
);

const deleteParticipation = prepareDelete('participants');

const deleteOrphanedItems = prepareQuery((database, { organization }: OrganizationQuery) =>
  database
    .deleteFrom('userData')
    .where('organization', '=', organization)
    .where('key', 'not in', database.selectFrom('participants').select('item')),
);

/** Lists of items by user. An item with several participants is in the lists of each of them. */
export const userData: Section<'userData'> = {
  read: (scope) =>
    readByOrganization(scope, selectByUser, (organizationId, { userId, rows }) => {
      const lists = Map.groupBy(rows, ({ feature }) => feature);
      const listOf = (feature: UserDataFeature) => (lists.get(feature) ?? []).map(toUserDataItem);
      return { organizationId, userId, ...Object.fromEntries(USER_DATA_FEATURES.map((feature) => [feature, listOf(feature)])) };
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

const selectByUser = async (...[database, query]: Parameters<typeof select>) => {
  const byUser = Map.groupBy(await select(database, query), ({ userId }) => userId);
  return [...byUser].map(([userId, rows]) => ({ userId, rows }));
};

async function writeLists({ database }: StateScope, organization: number, record: State['userData'][number]): Promise<void> {
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
    for (const batch of chunkRows(participants)) await insertParticipants(database, batch);
  }
}
