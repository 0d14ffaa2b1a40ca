import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

export const INPUT_FORMATS = ['ndjson', 'json', 'csv'] as const;
export type BenchFormat = (typeof INPUT_FORMATS)[number];

/** Bytes of a user as a line of NDJSON, with its end. */
const USER_BYTES = 120;
const USERS_A_WRITE = 5_000;

/** How a format writes a user, and what stands around and between them. */
const WRITERS = {
  ndjson: {
    before: '',
    between: '',
    after: '',
    user: (user: BenchUser) => `${JSON.stringify(user)}\n`,
  },
  json: {
    before: '[\n',
    between: ',\n',
    after: '\n]\n',
    user: (user: BenchUser) => JSON.stringify(user),
  },
  csv: {
    before: 'userId,name,email,initial\n',
    between: '',
    after: '',
    user: ({ userId, name, email, initial }: BenchUser) =>
      `${userId},${name},${email},${initial}\n`,
  },
} as const;

type BenchUser = ReturnType<typeof userAt>;

function userAt(index: number) {
  const number = String(index).padStart(7, '0');
  const user = {
    userId: `user-${number}`,
    name: 'Ada Lovelace',
    email: `ada.${number}@example.com`,
    initial: 'A',
  };
  const missing = USER_BYTES - 1 - JSON.stringify(user).length;
  return { ...user, name: user.name.padEnd(user.name.length + missing, ' Lovelace') };
}

/**
 * Writes users of random organizations as CSV, the same for the same counts. Returns the minimum
 * number of requests of 100 users.
 */
export async function writeMixedUsers(
  path: string,
  count: number,
  organizations: number,
): Promise<number> {
  const file = createWriteStream(path);
  const counts = new Uint32Array(organizations);
  let random = 1;
  file.write('userId,name,email,organizationId\n');
  for (let from = 0; from < count; from += USERS_A_WRITE) {
    let text = '';
    for (let at = from; at < Math.min(count, from + USERS_A_WRITE); at += 1) {
      random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
      const organization = Math.floor((random / 2 ** 32) * organizations);
      counts[organization] = (counts[organization] ?? 0) + 1;
      const { userId, name, email } = userAt(at);
      text += `${userId},${name},${email},customer-${organization}\n`;
    }
    if (!file.write(text)) await new Promise<void>((resolve) => file.once('drain', resolve));
  }
  file.end();
  await finished(file);
  return counts.reduce((sum, records) => sum + Math.ceil(records / 100), 0);
}

/** Writes so many users of 120 bytes, numbered from `first` on. */
export async function writeUsers(
  path: string,
  format: BenchFormat,
  count: number,
  first = 0,
): Promise<void> {
  const { before, between, after, user } = WRITERS[format];
  const file = createWriteStream(path);
  file.write(before);
  for (let from = 0; from < count; from += USERS_A_WRITE) {
    const to = Math.min(count, from + USERS_A_WRITE);
    const users = Array.from({ length: to - from }, (_, at) => user(userAt(first + from + at)));
    const text = (from > 0 ? between : '') + users.join(between);
    if (!file.write(text)) await new Promise<void>((resolve) => file.once('drain', resolve));
  }
  file.end(after);
  await finished(file);
}
