import * as z from 'zod/mini';
import { flag } from '../fields.ts';
import { described } from '../metadata.ts';
import type { Snapshot } from './answers.ts';
import { defineAdminOperation, result } from './define.ts';

const path = '/_svc/snapshots';
const name = flag(
  'name',
  described(z.string(), 'name of the snapshot: letters, digits, dots, hyphens, and underscores'),
);

export const snapshots = {
  'local.snapshot.save': defineAdminOperation('local.snapshot.save', {
    needs: 'snapshots',
    summary: 'Save the data of the embedded service',
    description:
      'Saves all data in the store, including API keys, tokens, and deliveries, but not the clock or the fault rules. Only the owner of the file can read it. Overwrites an existing snapshot with the same name. Does not interrupt a running svc serve.',
    examples: { 'svc local snapshot save seed': 'save the current data as the snapshot seed' },
    path,
    effect: 'set',
    selectedBy: 'save',
    input: z.strictObject({ save: name }),
    output: result<Snapshot>(),
    arguments: [{ field: 'save' }],
  }),
  'local.snapshot.restore': defineAdminOperation('local.snapshot.restore', {
    needs: 'snapshots',
    summary: 'Replace the data of the embedded service with a snapshot',
    description:
      'Replaces all data in the store in one transaction, so that requests to a running svc serve see either the old or the new data. API keys and tokens that are newer than the snapshot stop working.',
    examples: { 'svc local snapshot restore seed --yes': 'skip the confirmation' },
    path,
    effect: 'set',
    selectedBy: 'restore',
    input: z.strictObject({ restore: name }),
    output: result<Snapshot>(),
    arguments: [{ field: 'restore' }],
  }),
  'local.snapshot.list': defineAdminOperation('local.snapshot.list', {
    needs: 'snapshots',
    summary: 'List snapshots, newest first',
    path,
    effect: 'read',
    input: z.object({}),
    output: result<{ readonly snapshots: readonly Snapshot[] }>(),
    columns: [
      { header: 'NAME', field: 'name', kind: 'whole' },
      { header: 'SAVED', field: 'savedAt', kind: 'time' },
      { header: 'SIZE', field: 'bytes', kind: 'bytes', hideOrder: 1 },
      { header: 'ORGS', field: 'organizations', kind: 'count', hideOrder: 3 },
      { header: 'USERS', field: 'users', kind: 'count', hideOrder: 4 },
      { header: 'DOCUMENTS', field: 'documents', kind: 'count', hideOrder: 2 },
    ],
  }),
  'local.snapshot.diff': defineAdminOperation('local.snapshot.diff', {
    needs: 'snapshots',
    summary: 'Show the records that have changed since a snapshot',
    description:
      'Compares the records that svc local export contains with those in the snapshot. Ignores timestamps and endpoint secrets. Exits with 20 if anything changed.',
    examples: {
      'svc local snapshot diff seed': 'show the changes since the snapshot seed was saved',
    },
    path: `${path}/<name>`,
    effect: 'read',
    input: z.object({ name }),
    output: result<{ readonly changes: unknown }>(),
    arguments: [{ field: 'name' }],
  }),
  'local.snapshot.remove': defineAdminOperation('local.snapshot.remove', {
    needs: 'snapshots',
    summary: 'Delete a snapshot',
    path,
    effect: 'delete',
    selectedBy: 'remove',
    input: z.strictObject({ remove: name }),
    output: result<Readonly<Record<string, never>>>(),
    arguments: [{ field: 'remove' }],
  }),
};
