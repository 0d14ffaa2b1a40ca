import { SvcError } from '../../../kernel/errors.ts';
import { formatNounCount } from '../../../kernel/plural.ts';
import { fetchEffects } from '../../../webhooks/grading/effects.ts';
import { gradeReceiver } from '../../../webhooks/grading/grade.ts';
import type { Grade } from '../../../webhooks/grading/observation.ts';
import { createDeliveryFactory } from '../../../webhooks/grading/test-delivery.ts';
import type { Context } from '../../context.ts';
import type { Invocation } from '../../definition.ts';
import { postOptions } from '../../deliveries/targets.ts';
import { printDocument } from '../../terminal/print-document.ts';
import type { TestFlags } from '../flags.ts';
import { renderGrades } from './grade-table.ts';
import { readTestOptions, type TestOptions } from './test-options.ts';

/**
 * Grades a webhook receiver and prints the results.
 * @throws SvcError `some_failed` if the receiver fails a case, after the results are printed
 */
export async function testCommand(context: Context, invocation: Invocation<TestFlags>): Promise<void> {
  const options = await readTestOptions(context, invocation);
  if (context.options.dryRun) return showPlan(context, options);
  const grades = await grade(context, options);
  const printer = await context.printer();
  await printer.value(grades, { renderText: (view) => renderGrades(grades, view, context.environment) });
  if (options.effectsUrl === undefined && grades.some(({ case: name }) => name === 'duplicate')) {
    await context.note('to check whether duplicates are applied twice, add --effects-url');
  }
  const failed = grades.filter(({ verdict }) => verdict === 'fail').map((one) => one.case);
  if (failed.length === 0) return;
  const tried = grades.filter(({ verdict }) => verdict !== 'skipped').length;
  throw new SvcError(
    'some_failed',
    `${failed.length} of ${formatNounCount(tried, 'case')} failed: ${failed.join(', ')}`,
    {
      hint: failed[0] === 'valid' ? VALID_REJECTED_HINT : 'add -o json to see why each case matters',
    },
  );
}

const VALID_REJECTED_HINT =
  'the valid delivery was rejected: check that the secret or token matches the one the receiver uses';

async function grade(context: Context, { url, effectsUrl, cases, means }: TestOptions): Promise<readonly Grade[]> {
  const { clock } = context;
  const how = await postOptions(context);
  const progress = await context.progress();
  let done = 0;
  const end = progress.track(() => ({ phase: 'testing', done, total: cases.length, unit: 'cases' }));
  try {
    return await gradeReceiver(cases, {
      ...{ url, sender: means, clock, postOptions: how },
      createDelivery: createDeliveryFactory(means, clock),
      fetchEffects: effectsUrl && (() => fetchEffects(effectsUrl, how)),
      onProgress: (tried) => {
        done = tried;
      },
    });
  } finally {
    await end();
  }
}

async function showPlan(context: Context, { url, cases, means }: TestOptions): Promise<void> {
  const lacking = (one: TestOptions['cases'][number]) => one.skipReason?.(means) !== undefined;
  const tried = cases.filter((one) => !lacking(one)).map(({ name, expects, why }) => ({ case: name, expects, why }));
  await printDocument(context, { url: url.href, form: means.form, cases: tried });
  await context.note('nothing was sent: --dry-run');
}
