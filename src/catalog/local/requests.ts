import * as z from 'zod/mini';
import { parseDuration } from '../../kernel/duration.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import type { Column } from '../define.ts';
import { flag } from '../fields.ts';
import { manifest } from '../manifest.ts';
import { described } from '../metadata.ts';
import { parseOperation } from '../operation-name.ts';
import type { RequestDetail, RequestRecord } from './answers.ts';
import { defineAdminOperation, limitOf, result } from './define.ts';

const path = '/_svc/requests';
const operationNames: readonly string[] = manifest.map(({ name }) => name);
const on = flag(
  { value: 'operation' },
  described(
    z.optional(
      z.string().check(
        z.overwrite(parseOperation),
        z.refine((name) => operationNames.includes(name), {
          error: ({ input }) =>
            `unknown operation '${input}'; ${didYouMean(String(input), operationNames)}`,
        }),
      ),
    ),
    'only requests for this operation, for example users.add',
  ),
);
const timeout = flag(
  { value: 'duration' },
  described(
    z.optional(
      z.custom<number | string>(
        (given) =>
          typeof given === 'string'
            ? parseDuration(given) !== undefined
            : typeof given === 'number',
        'expected a duration such as 5s, or a number of milliseconds',
      ),
    ),
    'maximum time to wait (default: 60s)',
  ),
);
const columns: readonly Column[] = [
  { header: 'ID', field: 'id', kind: 'whole' },
  { header: 'TIME', field: 'time', kind: 'time', hideOrder: 2 },
  { header: 'OPERATION', field: 'operation', kind: 'operation' },
  { header: 'ORG', field: 'org', hideOrder: 1 },
  { header: 'STATUS', field: 'status' },
  { header: 'ERROR', field: 'error', hideOrder: 5 },
  { header: 'MS', field: 'ms', hideOrder: 3 },
  { header: 'RECORDS', field: 'records', kind: 'count', hideOrder: 4 },
  { header: 'FAULT', field: 'fault' },
];

export const requests = {
  'local.requests.list': defineAdminOperation('local.requests.list', {
    needs: 'requests',
    summary: 'List the latest requests to svc serve, oldest first',
    description:
      'svc serve and the library log requests, without secrets, to a file beside the store. The log keeps the latest 2,000 requests. A gap between IDs means that the disk was too slow to log some requests.',
    examples: {
      'svc local requests list --on users.add': 'list the requests of one operation',
      'svc local requests list --har requests.har':
        'write an HTTP archive for the developer tools of a browser',
    },
    path,
    effect: 'read',
    input: z.object({
      on,
      after: described(
        z.optional(z.int().check(z.gte(0))),
        'list the first requests after this ID',
      ),
      limit: limitOf('requests'),
    }),
    output: result<{ readonly requests: readonly RequestRecord[]; readonly more: boolean }>(),
    columns,
  }),
  'local.requests.show': defineAdminOperation('local.requests.show', {
    needs: 'requests',
    summary: 'Show requests with their request and response bodies',
    path: `${path}/<id>`,
    effect: 'read',
    input: z.object({ id: described(z.string(), 'request IDs') }),
    output: result<RequestDetail>(),
    arguments: [{ field: 'id', many: true }],
  }),
  'local.requests.wait': defineAdminOperation('local.requests.wait', {
    needs: 'requests',
    summary: 'Wait for requests to svc serve',
    description:
      'Counts the requests that arrive after the command starts, and prints them. Exits with 8 if too few arrive before the timeout.',
    examples: {
      'svc local requests wait --on users.add --count 3 --timeout 5s': 'wait for three requests',
    },
    path,
    effect: 'read',
    selectedBy: 'wait',
    input: z.strictObject({
      wait: z.strictObject({
        on,
        count: described(
          z.optional(z.int().check(z.gte(1))),
          'number of requests to wait for (default: 1)',
        ),
        timeout,
      }),
    }),
    output: result<{ readonly requests: readonly RequestRecord[] }>(),
    columns,
  }),
};
