import { type Insertable, sql } from 'kysely';
import { FEATURES, type Feature } from '../store/collaboration-tables.ts';
import { prepared } from '../store/prepared.ts';
import type { Database } from '../store/store.ts';
import type { Tables } from '../store/tables.ts';

export type UserDataItem = Readonly<Record<string, unknown>>;

/** An item as users get it. */
export function userDataItem({ data, documentId }: Pick<Tables['userData'], 'data' | 'documentId'>): UserDataItem {
  return { ...JSON.parse(data), ...(documentId !== null && { documentId }) };
}

/** Items of each kind that a page of a user's data holds. */
const ITEMS_PER_PAGE = 100;

interface Position {
  readonly organization: number;
  readonly userId: string;
  /** Items of each kind before the page. New ones come behind them, so that a page stays where it is. */
  readonly offset: number;
}

/** One item more than the page holds tells that there is another page. */
const selectPage = prepared(
  (database, { organization, userId, feature, offset }: Position & { readonly feature: Feature }) =>
    database
      .selectFrom('participants')
      .innerJoin('userData', 'userData.key', 'participants.item')
      .select(['userData.data', 'userData.documentId'])
      .where('participants.organization', '=', organization)
      .where('participants.userId', '=', userId)
      .where('participants.feature', '=', feature)
      .orderBy('participants.item')
      .limit(sql.lit(ITEMS_PER_PAGE + 1))
      .offset(offset),
);

/** A page of everything that concerns a user, oldest first, and the offset of the next page where there is one. */
export async function userDataPage(database: Database, at: Position) {
  const data: Record<Feature, UserDataItem[]> = { comments: [], reactions: [], recordings: [], notifications: [] };
  let isLast = true;
  for (const feature of FEATURES) {
    const found = await selectPage(database, { ...at, feature });
    data[feature] = found.slice(0, ITEMS_PER_PAGE).map(userDataItem);
    isLast &&= found.length <= ITEMS_PER_PAGE;
  }
  return { data, next: isLast ? undefined : at.offset + ITEMS_PER_PAGE };
}

const insertItem = prepared((database, row: Insertable<Tables['userData']>) =>
  database.insertInto('userData').values(row).returning('key'),
);

/** Adds an item that concerns nobody yet, and gives its key. Its `documentId` follows when the document migrates. */
export async function addUserData(
  database: Database,
  organization: number,
  feature: Feature,
  item: UserDataItem,
): Promise<number> {
  const { documentId, ...data } = item;
  const isReference = typeof documentId === 'string';
  const [added] = await insertItem(database, {
    organization,
    feature,
    notificationId: typeof item['notificationId'] === 'string' ? item['notificationId'] : null,
    documentId: isReference ? documentId : null,
    data: JSON.stringify(isReference ? data : item),
  });
  if (!added) throw new TypeError('an insertion gave no key');
  return added.key;
}

/** Says whom items concern. */
export const insertParticipants = prepared((database, rows: readonly Insertable<Tables['participants']>[]) =>
  database
    .insertInto('participants')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing()),
);

const selectNotification = prepared(
  (database, given: { readonly organization: number; readonly notificationId: string }) =>
    database
      .selectFrom('userData')
      .select('key')
      .where('organization', '=', given.organization)
      .where('notificationId', '=', given.notificationId)
      .limit(sql.lit(1)),
);

export async function isKnownNotification(
  database: Database,
  organization: number,
  notificationId: string,
): Promise<boolean> {
  return (await selectNotification(database, { organization, notificationId })).length > 0;
}
