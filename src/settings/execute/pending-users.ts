import type { RecordList } from '../../bulk/batches.ts';
import { BATCH_SIZE } from '../../bulk/pace.ts';
import type { SentRecord } from '../ledger.ts';
import type { PlannedWrite } from '../plan.ts';
import { type FileUser, readUsersFile, toSentUser } from '../users-file.ts';
import { PlannedRecord } from './planned-records.ts';

export class UserRecord extends PlannedRecord {
  readonly organizationId: string;

  constructor({ organizationId, userId, line, data }: FileUser, index: number) {
    super({ id: userId, index, line, value: data });
    this.organizationId = organizationId;
  }

  get sent(): SentRecord {
    return toSentUser({ organizationId: this.organizationId, userId: this.id, data: Object(this.value) });
  }
}

export interface UserSelection {
  readonly first: number;
  readonly isWanted: (record: SentRecord, organizationId: string) => boolean;
  readonly signal: AbortSignal;
}

/** Upper bound on users that wait for others of their organization. */
const MAX_WAITING = 10_000;

/** Reads the users to send, in batches of one organization each. */
export async function* readPendingUsers(
  file: NonNullable<PlannedWrite['from']>,
  { first, isWanted, signal }: UserSelection,
): AsyncGenerator<RecordList> {
  let index = first;
  let waiting = 0;
  const byOrganization = new Map<string, FileUser[]>();
  function* take(organizationId: string): Generator<RecordList> {
    const users = byOrganization.get(organizationId) ?? [];
    byOrganization.delete(organizationId);
    waiting -= users.length;
    if (users.length > 0) yield users.map((user) => new UserRecord(user, index++));
    yield [];
  }
  for await (const users of readUsersFile(file, signal)) {
    for (const user of users) {
      const { organizationId } = user;
      if (!isWanted(toSentUser(user), organizationId)) continue;
      const group = byOrganization.get(organizationId);
      if (group) group.push(user);
      else byOrganization.set(organizationId, [user]);
      waiting += 1;
      if (group?.length === BATCH_SIZE) yield* take(organizationId);
      else if (waiting >= MAX_WAITING) for (const each of [...byOrganization.keys()]) yield* take(each);
    }
  }
  for (const organizationId of [...byOrganization.keys()]) yield* take(organizationId);
}
