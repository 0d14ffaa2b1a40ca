import type { Context } from '../context.ts';
import { appendStepSummary } from '../outputs/append-step-summary.ts';
import {
  describeExpiring,
  isAboutAccess,
  renderAccessMarkdown,
  toAccessData,
} from './render-access.ts';
import {
  countChanges,
  type PlanSurroundings,
  PURPOSES,
  type Purpose,
  renderPlan,
  type ShownPlan,
} from './render-plan.ts';

/**
 * Prints a plan as text, or as data in the documented format.
 * @param name name of the settings file
 */
export async function printPlan(
  context: Context,
  plan: ShownPlan,
  name: string,
  { purpose = 'plan', fields, isReported, settingsFile, ...surroundings }: PrintOptions = {},
) {
  const { changes, predicted, notRestored, summary, access } = plan;
  const { target = plan.target, next, expiring } = surroundings;
  if (surroundings.target) context.activity.isTargetNamed = true;
  const printer = await context.printer();
  const renderMarkdown = async () => {
    const { renderPlanMarkdown } = await import('./plan-markdown.ts');
    const { title, words } = PURPOSES[purpose];
    const markdown = await renderPlanMarkdown(plan, {
      ...surroundings,
      settingsFile: settingsFile ?? name,
      title: `${title}: ${countChanges(plan, words) || 'no changes'}`,
      sections: {
        'Predicted effects': predicted,
        'Not restored': notRestored,
        ...(expiring && { [`Expiring within ${expiring.within}`]: describeExpiring(expiring) }),
      },
      file: purpose === 'drift' ? name : undefined,
    });
    return access && isAboutAccess(plan) ? markdown + renderAccessMarkdown(access) : markdown;
  };
  if (isReported) await appendStepSummary(context, renderMarkdown);
  await printer.value(
    {
      target,
      changes,
      predicted,
      notRestored,
      summary,
      ...(access && toAccessData(access)),
      ...(expiring && { expiring: expiring.grants }),
      ...fields,
      ...(next && { next }),
    },
    {
      renderText: (view) =>
        renderPlan(plan, { name, settingsFile, purpose, view, ...surroundings }),
      renderMarkdown,
    },
  );
}

interface PrintOptions extends PlanSurroundings {
  readonly purpose?: Purpose;
  readonly fields?: object;
  /** The settings file of a saved plan. */
  readonly settingsFile?: string | undefined;
  /** Whether the plan is also for the summary of a step in GitHub Actions. */
  readonly isReported?: boolean;
}
