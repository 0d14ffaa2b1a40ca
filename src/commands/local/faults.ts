import type { FaultFile, FaultRule } from '../../catalog/fault-rules.ts';
import { EFFECTS, SCHEDULES } from '../../catalog/faults.ts';
import { getAdminEntry } from '../../catalog/local/find-entry.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { readArgument } from '../call/data-argument.ts';
import { parseFaultRule } from '../connection/fault-file.ts';
import type { Context } from '../context.ts';
import { createLocalCommand, runLocal } from './operation.ts';

export const addLocalFault = createLocalCommand('local.faults.add', {
  readFields: async (context, [argument = '']) => {
    const { name, text } = await readArgument(context, argument);
    return { add: parseFaultRule(text, name) };
  },
  run: async ({ context, run }) => print(context, (await run())[0]),
});

export const listLocalFaults = createLocalCommand('local.faults.list', {
  run: async ({ context, run }) => {
    const [file] = await run();
    await print(context, file);
    if (file.faults.length === 0) await context.note('no fault rules');
  },
});

export const clearLocalFaults = createLocalCommand('local.faults.clear', {
  run: async ({ context, run }) => {
    const [{ faults }] = await runLocal(context, 'local.faults.list', [{}]);
    await run();
    await context.note(
      faults.length === 0
        ? 'no fault rules'
        : `Removed ${formatNounCount(faults.length, 'fault rule')}`,
    );
  },
});

async function print(context: Context, { seed, faults }: FaultFile): Promise<void> {
  const { columns = [] } = getAdminEntry('local.faults.list');
  const rows = faults.map((rule) => {
    const when = describeFields(rule, SCHEDULES).trim() || 'always';
    return { ...rule, when, effect: describeFields(rule, EFFECTS) };
  });
  await (await context.printer()).value(faults, { table: { rows, columns } });
  if (faults.length > 0) await context.note(`seed ${seed}`);
}

function describeFields(rule: FaultRule, fields: readonly (keyof FaultRule)[]): string {
  const found = fields.find((field) => rule[field] !== undefined);
  const value = found && rule[found];
  return typeof value === 'object'
    ? `${found} ${value.p50}-${value.p99} ms`
    : [found, value].join(' ');
}
