import * as z from 'zod/mini';
import { flag } from '../fields.ts';
import { described } from '../metadata.ts';
import type { AdvanceReport, ClockState } from './clock-state.ts';
import { defineAdminOperation, result } from './define.ts';

const path = '/_svc/clock';
const output = result<ClockState>();
const force = flag(
  { as: 'switch' },
  described(z.optional(z.boolean()), 'change the clock even if several servers use the store'),
);

export const clock = {
  'local.clock.show': defineAdminOperation('local.clock.show', {
    needs: 'service',
    summary: 'Show the time of the embedded service',
    path,
    effect: 'read',
    input: z.object({}),
    output,
  }),
  'local.clock.advance': defineAdminOperation('local.clock.advance', {
    needs: 'service',
    summary: 'Move the clock of the embedded service forward',
    description:
      'Runs everything that becomes due in the meantime, in order: delivery attempts and retries, the disabling of endpoints after five days of failures, and the expiry of tokens and permissions. Prints a report. The new time applies to every process that uses the store, even after a restart.',
    examples: {
      'svc local clock advance 49h': 'expire access tokens, which are valid for 48 hours',
      'svc local clock advance 6d -o json':
        'run the whole delivery schedule and print the report as JSON',
    },
    path,
    effect: 'once',
    selectedBy: 'advance',
    input: z.strictObject({
      advance: flag('duration', described(z.string(), 'duration such as 30s, 10m, 49h, or 7d')),
      force,
    }),
    output: result<ClockState & Partial<AdvanceReport>>(),
    arguments: [{ field: 'advance' }],
  }),
  'local.clock.set': defineAdminOperation('local.clock.set', {
    needs: 'service',
    summary: 'Set the clock of the embedded service',
    description:
      'Does not run work that becomes due. svc serve sends the deliveries that are due at the new time.',
    examples: { 'svc local clock set 2027-01-01T00:00:00Z': 'set the clock to the start of 2027' },
    path,
    effect: 'set',
    selectedBy: 'set',
    input: z.strictObject({
      set: flag('time', described(z.string(), 'time in RFC 3339, or Unix time in seconds')),
      force,
    }),
    output,
    arguments: [{ field: 'set' }],
  }),
  'local.clock.freeze': defineAdminOperation('local.clock.freeze', {
    needs: 'service',
    summary: 'Stop the clock of the embedded service',
    description:
      'Work that is already due still runs. svc local clock advance and svc local clock set also change a frozen clock.',
    path,
    effect: 'set',
    selectedBy: 'freeze',
    input: z.strictObject({ freeze: z.literal(true), force }),
    output,
  }),
  'local.clock.run': defineAdminOperation('local.clock.run', {
    needs: 'service',
    summary: 'Restart the frozen clock of the embedded service',
    path,
    effect: 'set',
    selectedBy: 'run',
    input: z.strictObject({ run: z.literal(true), force }),
    output,
  }),
  'local.clock.reset': defineAdminOperation('local.clock.reset', {
    needs: 'service',
    summary: 'Return the embedded service to real time',
    path,
    effect: 'set',
    selectedBy: 'reset',
    input: z.strictObject({ reset: z.literal(true), force }),
    output,
  }),
};
