import type { FaultFile, FaultRule } from '../../catalog/fault-rules.ts';
import { EFFECTS, SCHEDULES } from '../../catalog/faults.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import {
  addFault,
  clearFaults,
  listFaults,
} from '../../service/development/faults/fault-control.ts';
import type { DevelopmentState } from '../../service/development/state.ts';
import { readArgument } from '../call/data-argument.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { FAULT_COLUMNS } from '../embedded/development-columns.ts';
import { parseFaultRule } from '../embedded/fault-file.ts';
import { withStore } from '../embedded/store.ts';

export async function addLocalFault(
  context: Context,
  { arguments: [text = ''] }: Invocation,
): Promise<void> {
  const rule = parseFaultRule(await readArgument(context, text));
  if (context.options.dryRun) return context.note('--dry-run: nothing was changed');
  await print(context, await withState(context, 'write', (state) => addFault(state, rule)));
}

export async function listLocalFaults(context: Context): Promise<void> {
  const file = await withState(context, 'read', listFaults);
  await print(context, file);
  if (file.faults.length === 0) await context.note('no fault rules');
}

export async function clearLocalFaults(context: Context): Promise<void> {
  if (context.options.dryRun) return context.note('--dry-run: nothing was changed');
  const { faults } = await withState(context, 'read', listFaults);
  await withState(context, 'write', clearFaults);
  await context.note(`removed ${formatNounCount(faults.length, 'fault rule')}`);
}

function withState<Result>(
  context: Context,
  effect: 'read' | 'write',
  work: (state: DevelopmentState) => Promise<Result>,
): Promise<Result> {
  return withStore(context, effect, (_, __, { development }) => work(development));
}

async function print(context: Context, { seed, faults }: FaultFile): Promise<void> {
  const rows = faults.map((rule) => {
    const when = describeFields(rule, SCHEDULES).trim() || 'always';
    return { ...rule, when, effect: describeFields(rule, EFFECTS) };
  });
  await (await context.printer()).value(faults, { table: { rows, columns: FAULT_COLUMNS } });
  if (faults.length > 0) await context.note(`seed ${seed}`);
}

function describeFields(rule: FaultRule, fields: readonly (keyof FaultRule)[]): string {
  const found = fields.find((field) => rule[field] !== undefined);
  const value = found && rule[found];
  return typeof value === 'object'
    ? `${found} ${value.p50}-${value.p99} ms`
    : [found, value].join(' ');
}
