import * as z from 'zod/mini';
import type { Column } from '../define.ts';
import type { FaultFile, FaultRuleInput } from '../fault-rules.ts';
import { flag } from '../fields.ts';
import { described } from '../metadata.ts';
import { defineAdminOperation, result } from './define.ts';

const path = '/_svc/faults';
const output = result<FaultFile>();
const columns: readonly Column[] = [
  { header: 'NAME', field: 'name', kind: 'whole' },
  { header: 'ON', field: 'on', kind: 'operation' },
  { header: 'ORG', field: 'org', hideOrder: 1 },
  { header: 'WHEN', field: 'when' },
  { header: 'EFFECT', field: 'effect' },
];

/** `parseFaultFile` checks the rules, because the name of a rule depends on the stored rules. */
export const faults = {
  'local.faults.add': defineAdminOperation('local.faults.add', {
    needs: 'data',
    summary: 'Add a fault rule, which makes requests fail on purpose',
    description:
      'The rule applies from the next request, even in a running svc serve. Only the first rule that applies to a request takes effect. A rule has an operation or * (on), optionally an organization (org), a schedule (share, nth, every, or times; default: every request), and one effect: status responds with an error; delay waits, with the percentiles p50 and p99; drop closes the connection before or after the write; cut closes it after the write and a share of the response; items makes a share of the records fail. The operation delivery stands for webhook deliveries.',
    examples: {
      [`svc local faults add '{"on":"users.add","share":0.2,"status":"UNAVAILABLE"}'`]:
        'reject a fifth of the requests',
      [`svc local faults add '{"on":"users.add","times":1,"drop":"after"}'`]:
        'lose the response to the next request',
      [`svc local faults add '{"on":"*","delay":{"p50":"200ms","p99":"2s"}}'`]:
        'slow down all requests',
    },
    path,
    effect: 'once',
    selectedBy: 'add',
    input: z.strictObject({
      add: flag(
        'rule',
        described(z.custom<FaultRuleInput>(), "fault rule as JSON, @file, or '-' for stdin"),
      ),
    }),
    output,
    arguments: [{ field: 'add' }],
    columns,
  }),
  'local.faults.list': defineAdminOperation('local.faults.list', {
    needs: 'data',
    summary: 'List the fault rules in the order in which they apply',
    path,
    effect: 'read',
    input: z.object({}),
    output,
    columns,
  }),
  'local.faults.clear': defineAdminOperation('local.faults.clear', {
    needs: 'data',
    summary: 'Remove all fault rules',
    path,
    effect: 'delete',
    selectedBy: 'clear',
    input: z.strictObject({ clear: z.literal(true) }),
    output,
  }),
  'local.faults.set': defineAdminOperation('local.faults.set', {
    needs: 'data',
    summary: 'Replace all fault rules',
    path,
    effect: 'set',
    input: z.looseObject({}),
    output,
  }),
};
