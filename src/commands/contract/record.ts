import { resolve } from 'node:path';
import { DEFAULT_CONTRACT_FILE } from '../../contract/contract.ts';
import { hint, SvcError, stepWithPlaceholder } from '../../kernel/errors.ts';
import { SWITCH_VARIABLES } from '../../kernel/variables.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import type { RecordFlags } from './flags.ts';

/** @throws the error of the command */
export async function recordCommand(
  context: Context,
  { arguments: given, options }: Invocation<RecordFlags>,
): Promise<void> {
  const { environment, cwd, runLine } = context;
  const { file = DEFAULT_CONTRACT_FILE } = options;
  const words = given[0] === 'svc' ? given.slice(1) : given;
  checkWords(words);
  if (!runLine) throw new TypeError('the context runs no command lines');
  await runLine(words, { ...environment, [SWITCH_VARIABLES.contract]: resolve(cwd, file) });
}

function checkWords(words: readonly string[]): void {
  const [first] = words;
  if (first === undefined || first === 'contract')
    throw new SvcError('usage', 'contract record requires a svc command that calls the service', {
      hint: hint`pass the command after --: ${stepWithPlaceholder('retry', ['contract', 'record'], '-- folders list --org <id>')}`,
    });
  if (words.includes('--local'))
    throw new SvcError('usage', 'contract record does not record the embedded service', {
      hint: 'omit --local: a contract describes the real service',
    });
}
