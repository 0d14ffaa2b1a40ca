import { SvcError } from '../../kernel/errors.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { printPlan } from '../plan/render-plan.ts';
import type { ChangeFlags } from './flags.ts';
import { preparePlan } from './prepare-plan.ts';

/**
 * Prints the differences between a settings file and the live service.
 * @throws SvcError `differs` if there are any
 */
export async function reportDrift(context: Context, { options }: Invocation<ChangeFlags>): Promise<void> {
  const prepared = await preparePlan(context, options, { readsOnly: true });
  try {
    const { plan, settings } = prepared;
    await printPlan(prepared.context, plan, settings.name, { purpose: 'drift' });
    const count = plan.changes.length;
    if (count === 0) return;
    const subject = `${plan.target.url} differs from ${settings.name}`;
    throw new SvcError('differs', `${subject}: ${formatNounCount(count, 'difference')}`);
  } finally {
    await prepared.close();
  }
}
