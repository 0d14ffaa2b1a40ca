import { type Insertable, sql } from 'kysely';
import { prepareQuery } from '../store/prepared-query.ts';
import { prepareInsert, prepareSelect } from '../store/statements.ts';
import type { Database } from '../store/store.ts';
import { type Tables, USER_DATA_FEATURES, type UserDataFeature } from '../store/tables.ts';

export type UserDataItem = Readonly<Record<string, unknown>>;

export function toUserDataItem({
  data,
  documentId,
}: Pick<Tables['userData'], 'data' | 'documentId'>): UserDataItem {
  return { ...JSON.parse(data), ...(documentId !== null && { documentId }) };
}

const ITEMS_PER_PAGE = 100;

interface UserDataPosition {
  readonly organization: number;
  readonly userId: string;
  /** Number of items per feature before the page. New items are appended, so offsets stay valid. */
  readonly offset: number;
}

/** Selects one more item than fits on a page, to find out whether there is another page. */
const selectPage = prepareQuery(
  (
    _,
    {
      organization,
      userId,
      feature,
      offset,
    }: UserDataPosition & { readonly feature: UserDataFeature },
  ) =>
    sql<Pick<Tables['userData'], 'data' | 'documentId'>>`
      select data, "documentId" from participants join "userData" on "userData".key = item
      where participants.organization = ${organization} and "userId" = ${userId} and participants.feature = ${feature}
      order by item limit ${sql.lit(ITEMS_PER_PAGE + 1)} offset ${offset}`,
);

export async function readUserDataPage(database: Database, position: UserDataPosition) {
  const data: Record<UserDataFeature, UserDataItem[]> = {
    comments: [],
    reactions: [],
    recordings: [],
    notifications: [],
  };
  let isLast = true;
  for (const feature of USER_DATA_FEATURES) {
    const found = await selectPage(database, { ...position, feature });
    data[feature] = found.slice(0, ITEMS_PER_PAGE).map(toUserDataItem);
    isLast &&= found.length <= ITEMS_PER_PAGE;
  }
  return { data, next: isLast ? undefined : position.offset + ITEMS_PER_PAGE };
}

const insertItem = prepareQuery((database, row: Insertable<Tables['userData']>) =>
  database.insertInto('userData').values(row).returning('key'),
);

export async function addUserData(
  database: Database,
  organization: number,
  feature: UserDataFeature,
  item: UserDataItem,
) {
  const { documentId, ...data } = item;
  const isReference = typeof documentId === 'string';
  const [added] = await insertItem(database, {
    organization,
    feature,
    notificationId: typeof item['notificationId'] === 'string' ? item['notificationId'] : null,
    documentId: isReference ? documentId : null,
    data: JSON.stringify(isReference ? data : item),
  });
  if (!added) throw new TypeError('the insert returned no key');
  return added.key;
}

export const insertParticipants = prepareInsert('participants');
export const selectUserDataKeys = prepareSelect('userData', ['key']);
