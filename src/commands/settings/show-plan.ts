import { readNamedFile } from '../../kernel/named-file.ts';
import { parseSavedPlan } from '../../settings/saved-plan.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { printPlan } from '../plan/render-plan.ts';

export async function showPlan(context: Context, { arguments: [file = ''] }: Invocation): Promise<void> {
  const plan = parseSavedPlan((await readNamedFile(file, context.cwd)).toString(), file);
  await printPlan(context, plan, file);
}
