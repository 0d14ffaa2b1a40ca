import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Answerer, mockService, success } from './mock-service.ts';
import { newUser, type Run } from './svc.ts';

interface User {
  readonly userId: string;
}

/** Answers a request by its users, or says nothing special of it. */
export type Judge = (ids: readonly string[], request: number) => ReturnType<Answerer> | 'silence' | 'reset';

/** A service that adds users and counts how often each came, and a user who has a file of them. */
export async function importing(users: number, judge: Judge = () => undefined) {
  const came = new Map<string, number>();
  let requests = 0;
  const waiting: { readonly at: number; readonly go: () => void }[] = [];
  const service = await mockService(({ body }, response) => {
    const ids = (body.data['users'] as readonly User[]).map(({ userId }) => userId);
    requests += 1;
    const judged = judge(ids, requests);
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
  const user = await newUser();
  await writeFile(join(user.home, 'users.ndjson'), linesOf(users));
  const env = service.env;
  return {
    ...{ home: user.home, env, came },
    svc: (...words: readonly string[]) => user.svc(words, { env }),
    /** With a text on its stdin. */
    runWith: (stdin: string, ...words: readonly string[]) => user.svc(words, { env, stdin }),
    start: (...words: readonly string[]) => user.start(words, { env }),
    /** For another installation of the tool: the same user, and the same service. */
    setting: { cwd: user.home, env: { ...user.env, ...env } },
    requests: () => requests,
    /** Resolves once the service has got so many more requests. */
    more: (count: number) => new Promise<void>((go) => waiting.push({ at: requests + count, go })),
  };
}

export const linesOf = (users: number) =>
  Array.from({ length: users }, (_, at) => `{"userId":"u${at}","name":"User ${at}"}\n`).join('');

export const ADD = ['users', 'add', '--org', 'acme', '--file', 'users.ndjson', '-o', 'json'] as const;

/** The id of the one job there is. */
export async function onlyJob(svc: (...words: readonly string[]) => Promise<Run>): Promise<string> {
  const jobs = JSON.parse((await svc('jobs', 'list', '-o', 'json')).stdout);
  if (jobs.length !== 1) throw new Error(`there are ${jobs.length} jobs`);
  return jobs[0].id;
}

/**
 * Kills a job again and again, each time after so many more requests, and lets it go on after each.
 *
 * @returns the end of its last run, how often it was killed, and its id
 */
export async function killedAfter(
  requests: readonly number[],
  { svc, start, more }: Awaited<ReturnType<typeof importing>>,
  words: readonly string[],
) {
  let run = start(...words, '-q');
  let [kills, job] = [0, ''];
  for (const count of requests) {
    if (!(await Promise.race([more(count).then(() => true), run.ended.then(() => false)]))) break;
    run.kill('SIGKILL');
    await run.ended;
    kills += 1;
    job ||= await onlyJob(svc);
    run = start('jobs', 'resume', job, '-o', 'json', '-q');
  }
  return { ...(await run.ended), kills, job };
}

/** How many records came more than once, each further time counted. */
export const repeated = (came: ReadonlyMap<string, number>) =>
  [...came.values()].reduce((sum, times) => sum + times - 1, 0);
