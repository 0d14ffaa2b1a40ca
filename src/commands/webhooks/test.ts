import { SvcError } from '../../kernel/errors.ts';
import type { Environment } from '../../kernel/folders.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { escapeForTerminal } from '../../kernel/safe-text.ts';
import type { View } from '../../output/renderer.ts';
import { createMeasure } from '../../output/width.ts';
import { wrapWords } from '../../output/wrap.ts';
import { RECEIVER_CASES, type ReceiverCase } from '../../webhooks/grading/cases.ts';
import { gradeReceiver } from '../../webhooks/grading/grade.ts';
import { fetchEffects, type Grade } from '../../webhooks/grading/observation.ts';
import {
  createDeliveryFactory,
  type SenderConfiguration,
} from '../../webhooks/grading/test-delivery.ts';
import { parsePublicKey } from '../../webhooks/keys.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { createMarks } from '../terminal/marks.ts';
import { printDocument } from '../terminal/print-document.ts';
import type { TestFlags } from './flags.ts';
import { readKey, readSenderCredentials } from './keys.ts';
import { createPostOptions, parseTargetUrl } from './targets.ts';

/** @throws SvcError `records_failed` if the receiver fails a case */
export async function testCommand(
  context: Context,
  invocation: Invocation<TestFlags>,
): Promise<void> {
  const options = await readTestOptions(context, invocation);
  if (context.options.dryRun) return showPlan(context, options);
  const grades = await gradeCases(context, options);
  const printer = await context.printer();
  await printer.value(grades, {
    renderText: (view) => renderGrades(grades, view, context.environment),
  });
  if (options.effectsUrl === undefined && grades.some(isTriedDuplicate))
    await context.note('to check whether duplicates are applied twice, add --effects-url');
  const failed = grades.filter(({ verdict }) => verdict === 'fail').map((one) => one.case);
  if (failed.length === 0) return;
  const tried = grades.filter(({ verdict }) => verdict !== 'skipped').length;
  const rejected = grades.find(({ case: name, verdict }) => name === 'valid' && verdict === 'fail');
  const message = `${failed.length} of ${formatNounCount(tried, 'case')} failed: ${failed.join(', ')}`;
  throw new SvcError('records_failed', message, {
    ...(rejected && { hint: `the valid delivery was rejected: ${rejected.fix}` }),
  });
}

function isTriedDuplicate({ case: name, verdict }: Grade): boolean {
  return name === 'duplicate' && verdict !== 'skipped';
}

async function gradeCases(
  context: Context,
  { url, effectsUrl, cases, sender }: TestOptions,
): Promise<readonly Grade[]> {
  const { clock } = context;
  const postOptions = await createPostOptions(context);
  const progress = await context.progress();
  let done = 0;
  const end = progress.track(() => ({
    phase: 'testing',
    done,
    total: cases.length,
    unit: 'cases',
  }));
  try {
    return await gradeReceiver(cases, {
      url,
      sender,
      clock,
      postOptions,
      createDelivery: createDeliveryFactory(sender, clock),
      fetchEffects: effectsUrl && (() => fetchEffects(effectsUrl, postOptions)),
      onProgress: (tried) => {
        done = tried;
      },
    });
  } finally {
    await end();
  }
}

async function showPlan(context: Context, { url, cases, sender }: TestOptions): Promise<void> {
  const tried = cases.filter(({ skipReason }) => skipReason?.(sender) === undefined);
  const planned = tried.map(({ name, expects, why }) => ({ case: name, expects, why }));
  await printDocument(context, { url: url.href, form: sender.form, cases: planned });
  await context.note('--dry-run: nothing was sent');
}

type TestOptions = Awaited<ReturnType<typeof readTestOptions>>;

async function readTestOptions(
  context: Context,
  { arguments: [address = ''], options }: Invocation<TestFlags>,
) {
  const url = parseTargetUrl(address, 'url');
  const effects = options.effectsUrl;
  const effectsUrl = effects === undefined ? undefined : parseTargetUrl(effects, '--effects-url');
  const credentials = await readSenderCredentials(options, context.signal);
  if (credentials.form === 'advanced' && credentials.secret === undefined) {
    throw new SvcError('usage', '--secret-file is required to sign deliveries', {
      hint: 'for basic deliveries, use --auth-token-file, or --form basic if there is no token',
    });
  }
  const sender = {
    ...credentials,
    encryptFor: await readKey(context, options.encryptFor, parsePublicKey),
  };
  return { url, effectsUrl, cases: selectCases(options, sender), sender };
}

function selectCases(
  { only = [], skip = [] }: TestFlags,
  sender: SenderConfiguration,
): readonly ReceiverCase[] {
  const chosen = RECEIVER_CASES.filter(
    ({ name }) => (only.length === 0 || only.includes(name)) && !skip.includes(name),
  );
  if (chosen.length === 0) throw new SvcError('usage', '--only and --skip leave no cases to run');
  const applies = ({ form = sender.form }: ReceiverCase) => form === sender.form;
  for (const testCase of chosen) {
    const { name, form, skipReason } = testCase;
    const missing = applies(testCase)
      ? skipReason?.(sender)
      : `the case applies only to ${form} deliveries`;
    if (missing && only.includes(name)) throw new SvcError('usage', `--only ${name}: ${missing}`);
  }
  return chosen.filter(applies);
}

const EXPLANATION = '    ';

/** Renders a line per case, and the reason and the fix below each failed one. */
async function renderGrades(
  grades: readonly Grade[],
  view: View,
  environment: Environment,
): Promise<string> {
  const { mark, colorize } = createMarks(view, environment);
  const head: readonly string[] = ['CASE', 'EXPECTED', 'ACTUAL'];
  const rows = grades.map(({ case: name, expected, did }) => [
    name,
    expected,
    escapeForTerminal(did),
  ]);
  const widths = [0, 1].map((column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  const blank = ' '.repeat(mark('ok').length);
  const measure = await createMeasure([]);
  const explain = (grade: Grade): readonly string[] => {
    if (grade.verdict !== 'fail') return [];
    const text = `${grade.why}; ${grade.fix}`;
    const lines =
      view.width === undefined
        ? [text]
        : wrapWords(text, view.width - blank.length - EXPLANATION.length, measure, true);
    return lines.map((each) => `${blank}${EXPLANATION}${each}`);
  };
  const lines = grades.flatMap((grade, index) => [
    `${colorize(grade.verdict, mark(grade.verdict))}  ${line(rows[index] ?? [])}`,
    ...explain(grade),
  ]);
  return `${[...(view.headers ? [`${blank}  ${line(head)}`] : []), ...lines].join('\n')}\n`;
}
