import { SvcError } from '../../../kernel/errors.ts';
import { CASES, type Case } from '../../../webhooks/grading/cases.ts';
import type { Means } from '../../../webhooks/grading/kit.ts';
import type { Context } from '../../context.ts';
import type { Invocation } from '../../definition.ts';
import { targetUrl } from '../../deliveries/target.ts';
import { textValue, textValues } from '../../option-values.ts';
import { readPublicKey } from '../keys.ts';
import { readSenderProof } from '../sender-proof.ts';

/** The options of `svc webhooks test`. */
export interface TestOptions {
  readonly url: URL;
  readonly effectsUrl: URL | undefined;
  readonly cases: readonly Case[];
  readonly means: Means;
}

export async function readTestOptions(
  context: Context,
  { arguments: [address = ''], options }: Invocation,
): Promise<TestOptions> {
  const url = targetUrl(address, 'url');
  const effects = textValue(options, 'effectsUrl');
  const effectsUrl = effects === undefined ? undefined : targetUrl(effects, '--effects-url');
  const proof = await readSenderProof(options, context.signal);
  if (proof.form === 'advanced' && proof.secret === undefined) {
    throw new SvcError('usage', 'there is nothing to sign deliveries with', {
      hint: 'add --secret-file; or --auth-token-file, or --form basic where there is no token, for basic deliveries',
    });
  }
  const means = { ...proof, encryptFor: await readPublicKey(context, options) };
  return { url, effectsUrl, cases: chosenCases(options, means), means };
}

/** The cases of this form, in their order. One that was asked for by name has to be possible. */
function chosenCases(options: Invocation['options'], means: Means): readonly Case[] {
  const [only, skip] = [textValues(options, 'only'), textValues(options, 'skip')];
  const chosen = CASES.filter(({ name }) => (only.length === 0 || only.includes(name)) && !skip.includes(name));
  if (chosen.length === 0) throw new SvcError('usage', 'no case is left to try');
  for (const { name, forms, lacks } of chosen) {
    const missing = forms.includes(means.form) ? lacks?.(means) : `it is about ${forms.join()} deliveries`;
    if (missing && only.includes(name)) throw new SvcError('usage', `--only ${name}: ${missing}`);
  }
  return chosen.filter(({ forms }) => forms.includes(means.form));
}
