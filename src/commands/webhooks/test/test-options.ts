import { SvcError } from '../../../kernel/errors.ts';
import { RECEIVER_CASES, type ReceiverCase } from '../../../webhooks/grading/cases.ts';
import type { SenderConfiguration } from '../../../webhooks/grading/test-delivery.ts';
import type { Context } from '../../context.ts';
import type { Invocation } from '../../definition.ts';
import { parseTargetUrl } from '../../deliveries/targets.ts';
import type { TestFlags } from '../flags.ts';
import { readPublicKey } from '../keys.ts';
import { readSenderCredentials } from '../sender-credentials.ts';

/** Parsed options of `svc webhooks test`. */
export interface TestOptions {
  readonly url: URL;
  readonly effectsUrl: URL | undefined;
  readonly cases: readonly ReceiverCase[];
  readonly means: SenderConfiguration;
}

export async function readTestOptions(
  context: Context,
  { arguments: [address = ''], options }: Invocation<TestFlags>,
): Promise<TestOptions> {
  const url = parseTargetUrl(address, 'url');
  const effects = options.effectsUrl;
  const effectsUrl = effects === undefined ? undefined : parseTargetUrl(effects, '--effects-url');
  const proof = await readSenderCredentials(options, context.signal);
  if (proof.form === 'advanced' && proof.secret === undefined) {
    throw new SvcError('usage', '--secret-file is required to sign deliveries', {
      hint: 'for basic deliveries, use --auth-token-file, or --form basic if there is no token',
    });
  }
  const means = { ...proof, encryptFor: await readPublicKey(context, options.encryptFor) };
  return { url, effectsUrl, cases: selectCases(options, means), means };
}

/** Selects the cases of this form, in order. A case named with `--only` must be possible. */
function selectCases({ only = [], skip = [] }: TestFlags, means: SenderConfiguration): readonly ReceiverCase[] {
  const chosen = RECEIVER_CASES.filter(
    ({ name }) => (only.length === 0 || only.includes(name)) && !skip.includes(name),
  );
  if (chosen.length === 0) throw new SvcError('usage', '--only and --skip leave no cases to run');
  const applies = ({ form = means.form }: ReceiverCase) => form === means.form;
  for (const testCase of chosen) {
    const { name, form, skipReason } = testCase;
    const missing = applies(testCase) ? skipReason?.(means) : `the case applies only to ${form} deliveries`;
    if (missing && only.includes(name)) throw new SvcError('usage', `--only ${name}: ${missing}`);
  }
  return chosen.filter(applies);
}
