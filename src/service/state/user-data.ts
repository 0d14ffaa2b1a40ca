import type { State } from '../../catalog/state.ts';
import { addUserData, insertParticipants, userDataItem } from '../records/user-data.ts';
import { batchesOf } from '../store/batches.ts';
import { FEATURES, type Feature } from '../store/collaboration-tables.ts';
import { prepared } from '../store/prepared.ts';
import { batchesByOrganization, readEach, type Scope, type Section } from './section.ts';

type UserData = State['userData'][number];

interface Owner {
  readonly organization: number;
}

const select = prepared((database, { organization }: Owner) =>
  database
    .selectFrom('participants')
    .innerJoin('userData', 'userData.key', 'participants.item')
    .select(['participants.userId', 'userData.feature', 'userData.documentId', 'userData.data'])
    .where('participants.organization', '=', organization)
    .orderBy('participants.userId')
    .orderBy('userData.key'),
);

const deleteParticipation = prepared(
  (database, { organization, userId, feature }: Owner & { readonly userId: string; readonly feature: Feature }) =>
    database
      .deleteFrom('participants')
      .where('organization', '=', organization)
      .where('userId', '=', userId)
      .where('feature', '=', feature),
);

/** Items that concern nobody any more. */
const deleteUnseen = prepared((database, { organization }: Owner) =>
  database
    .deleteFrom('userData')
    .where('organization', '=', organization)
    .where('key', 'not in', database.selectFrom('participants').select('item')),
);

/** What concerns several users stands in the data of each. */
export const userData: Section<'userData'> = {
  read: (scope) =>
    readEach(scope, selectByUser, (organizationId, { userId, rows }) => {
      const lists = Map.groupBy(rows, ({ feature }) => feature);
      const listOf = (feature: Feature) => (lists.get(feature) ?? []).map(userDataItem);
      return { organizationId, userId, ...Object.fromEntries(FEATURES.map((feature) => [feature, listOf(feature)])) };
    }),

  write: async (scope, records) => {
    const touched = new Set<number>();
    for (const [organization, batch] of batchesByOrganization(scope, records)) {
      touched.add(organization);
      for (const record of batch) await writeLists(scope, organization, record);
    }
    for (const organization of touched) await deleteUnseen(scope.database, { organization });
  },
};

const selectByUser = async (...[database, owner]: Parameters<typeof select>) => {
  const byUser = Map.groupBy(await select(database, owner), ({ userId }) => userId);
  return [...byUser].map(([userId, rows]) => ({ userId, rows }));
};

/** Puts the lists that a record has in place of the user's own. */
async function writeLists({ database }: Scope, organization: number, record: UserData): Promise<void> {
  const { userId } = record;
  for (const feature of FEATURES) {
    const items = record[feature];
    if (!items) continue;
    await deleteParticipation(database, { organization, userId, feature });
    const participants = [];
    for (const given of items) {
      participants.push({
        organization,
        userId,
        feature,
        item: await addUserData(database, organization, feature, given),
      });
    }
    for (const batch of batchesOf(participants)) await insertParticipants(database, batch);
  }
}
