import { SvcError } from '../../../kernel/errors.ts';
import { amount } from '../../../kernel/plural.ts';
import { readEffects } from '../../../webhooks/grading/effects.ts';
import { gradeReceiver } from '../../../webhooks/grading/grade.ts';
import type { Grade } from '../../../webhooks/grading/judge.ts';
import { createKit } from '../../../webhooks/grading/kit.ts';
import type { Context } from '../../context.ts';
import type { Invocation } from '../../definition.ts';
import { postOptions } from '../../deliveries/target.ts';
import { showDocument } from '../../terminal/document.ts';
import { gradeTable } from './grade-table.ts';
import { readTestOptions, type TestOptions } from './test-options.ts';

/** @throws SvcError `some_failed` when the receiver failed a case, after all of them were printed. */
export async function testCommand(context: Context, invocation: Invocation): Promise<void> {
  const options = await readTestOptions(context, invocation);
  if (context.options.dryRun) return showPlan(context, options);
  const grades = await grade(context, options);
  const printer = await context.printer();
  await printer.value(grades, { drawing: (view) => gradeTable(grades, view, context.environment) });
  if (options.effectsUrl === undefined && grades.some(({ case: name }) => name === 'duplicate')) {
    await context.note('whether a duplicate is applied again cannot be seen from outside: --effects-url shows it');
  }
  const failed = grades.filter(({ verdict }) => verdict === 'fail').map((one) => one.case);
  if (failed.length === 0) return;
  const tried = grades.filter(({ verdict }) => verdict !== 'skipped').length;
  throw new SvcError('some_failed', `${failed.length} of ${amount(tried, 'case')} failed: ${failed.join(', ')}`, {
    hint: failed[0] === 'valid' ? NOT_EVEN_VALID : 'with -o json it says why each case matters',
  });
}

const NOT_EVEN_VALID = 'not even a valid delivery was taken: is it the secret or token that this receiver has?';

async function grade(context: Context, { url, effectsUrl, cases, means }: TestOptions): Promise<readonly Grade[]> {
  const { clock } = context;
  const how = await postOptions(context);
  const progress = await context.progress();
  let done = 0;
  const end = progress.follow(() => ({ phase: 'trying', done, total: cases.length, unit: 'cases' }));
  try {
    return await gradeReceiver(cases, {
      ...{ url, means, clock, how },
      make: createKit(means, clock),
      effects: effectsUrl && (() => readEffects(effectsUrl, how)),
      begin: (tried) => {
        done = tried;
      },
    });
  } finally {
    await end();
  }
}

async function showPlan(context: Context, { url, cases, means }: TestOptions): Promise<void> {
  const lacking = (one: TestOptions['cases'][number]) => one.lacks?.(means) !== undefined;
  const tried = cases.filter((one) => !lacking(one)).map(({ name, expects, why }) => ({ case: name, expects, why }));
  await showDocument(context, { url: url.href, form: means.form, cases: tried });
  await context.note('nothing was sent: --dry-run');
}
