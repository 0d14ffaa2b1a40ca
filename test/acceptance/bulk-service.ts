import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newUserInProcess } from './in-process.ts';
import { type ResponseHandler, startMockService, success } from './mock-service.ts';
import type { Run } from './svc.ts';

interface User {
  readonly userId: string;
}

/** Handles a request by its users, or returns undefined for the default response. */
export type RequestHandler = (
  ids: readonly string[],
  request: number,
  organization?: string,
) => ReturnType<ResponseHandler> | 'silence' | 'reset';

/**
 * Creates a service that adds users and counts the requests for each, and a user with a file of
 * them.
 */
export async function createBulkUser(users: number, judge: RequestHandler = () => undefined) {
  const came = new Map<string, number>();
  let requests = 0;
  const waiting: { readonly at: number; readonly go: () => void }[] = [];
  const service = await startMockService(({ body }, response) => {
    const ids = (body.data['users'] as readonly User[]).map(({ userId }) => userId);
    requests += 1;
    const judged = judge(ids, requests, String(body.data['organizationId']));
    for (const { at, go } of waiting) if (requests >= at) go();
    if (judged === 'silence') return undefined;
    if (judged === 'reset') {
      response.destroy();
      return undefined;
    }
    if (judged) return judged;
    for (const id of ids) came.set(id, (came.get(id) ?? 0) + 1);
    return success(Object.fromEntries(ids.map((id) => [id, { success: true }])));
  });
  const user = await newUserInProcess();
  await writeFile(join(user.home, 'users.ndjson'), ndjsonUsers(users));
  const env = service.env;
  return {
    home: user.home,
    env,
    came,
    svc: (...words: readonly string[]) => user.svc(words, { env }),
    /** Runs svc with text on stdin. */
    runWith: (stdin: string, ...words: readonly string[]) => user.svc(words, { env, stdin }),
    start: (...words: readonly string[]) => user.start(words, { env }),
    /** Uses another installation of the tool, with the same user and service. */
    setting: { cwd: user.home, env: { ...user.env, ...env } },
    requests: () => requests,
    /** Resolves after the given number of further requests. */
    more: (count: number) => new Promise<void>((go) => waiting.push({ at: requests + count, go })),
  };
}

export const ndjsonUsers = (users: number) =>
  Array.from({ length: users }, (_, at) => `{"userId":"u${at}","name":"User ${at}"}\n`).join('');

export const ADD_USERS = [
  'users',
  'add',
  '--org',
  'acme',
  '--file',
  'users.ndjson',
  '-o',
  'json',
] as const;

/** Returns the ID of the only job. */
export async function findOnlyJob(
  svc: (...words: readonly string[]) => Promise<Run>,
): Promise<string> {
  const jobs = JSON.parse((await svc('jobs', 'list', '-o', 'json')).stdout);
  if (jobs.length !== 1) throw new Error(`there are ${jobs.length} jobs`);
  return jobs[0].id;
}

/**
 * Kills a job repeatedly, each time after the given number of further requests, and resumes it each
 * time.
 *
 * @returns the end of the last run, the number of kills, and the job ID
 */
export async function killRepeatedly(
  requests: readonly number[],
  { svc, start, more }: Pick<Awaited<ReturnType<typeof createBulkUser>>, 'svc' | 'start' | 'more'>,
  words: readonly string[],
) {
  let run = start(...words, '-q');
  let [kills, job] = [0, ''];
  for (const count of requests) {
    if (!(await Promise.race([more(count).then(() => true), run.ended.then(() => false)]))) break;
    run.kill('SIGKILL');
    await run.ended;
    kills += 1;
    job ||= await findOnlyJob(svc);
    run = start('jobs', 'resume', job, '-o', 'json', '-q');
  }
  return { ...(await run.ended), kills, job };
}

/** Counts the repeated deliveries of all records. */
export const countRepeats = (came: ReadonlyMap<string, number>) =>
  [...came.values()].reduce((sum, times) => sum + times - 1, 0);
