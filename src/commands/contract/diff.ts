import { resolve } from 'node:path';
import { DEFAULT_CONTRACT_FILE } from '../../contract/contract.ts';
import { readContractFile } from '../../contract/contract-file.ts';
import { gradeAgainstEmulators } from '../../contract/emulators.ts';
import type { Finding, Grading, Verdict } from '../../contract/grade.ts';
import { playSamples } from '../../contract/play-samples.ts';
import { hint, SvcError, step } from '../../kernel/errors.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { readNamedFile } from '../../kernel/named-file.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import { describeNotCompared } from './describe-grading.ts';
import type { DiffFlags } from './flags.ts';
import { renderGrading, renderGradingMarkdown } from './render-grading.ts';

/**
 * @throws SvcError `differs` if there are findings, `invalid_input` if a file is not a contract or
 * an earlier diff
 */
export async function diffContract(
  context: Context,
  { arguments: [name = DEFAULT_CONTRACT_FILE], options }: Invocation<DiffFlags>,
): Promise<void> {
  const { cwd, clock, signal } = context;
  const known = await readKnownFindings(context, options.known);
  const recorded = await readContractFile(resolve(cwd, name), name);
  if ([...recorded.operations.values()].every((outcomes) => outcomes.length === 0))
    throw createNothingComparedError(`${name} has no exchanges, so there is nothing to compare`);
  const grading = await gradeAgainstEmulators(recorded, (options) =>
    playSamples({ clock, signal }, options),
  );
  const [first] = grading.notCompared;
  if (first && grading.verdicts.every(({ verdict }) => UNCOMPARED.has(verdict)))
    throw createNothingComparedError(
      `${name} has no exchange that can be compared: ${describeNotCompared(first)}`,
    );
  const printer = await context.printer();
  await printer.value(grading, {
    renderText: (view) => renderGrading(grading, known, view),
    renderMarkdown: () => renderGradingMarkdown(grading, known, name),
  });
  const fresh = grading.findings.filter((finding) => !known.has(identifyFinding(finding)));
  if (fresh.length > 0)
    throw new SvcError(
      'differs',
      `${name} and the embedded service differ: ${formatNounCount(fresh.length, 'finding')}`,
      {
        hint: hint`to save the findings as known, run ${step('show', 'contract', 'diff', name, '-o', 'json')} > findings.json`,
      },
    );
}

const UNCOMPARED: ReadonlySet<Verdict> = new Set(['not_compared', 'not_seen']);

function createNothingComparedError(message: string): SvcError {
  return new SvcError('invalid_input', message, {
    hint: hint`to record exchanges, run ${step('show', 'contract', 'probe')}`,
  });
}

/** Identifies a finding across recordings, without its count. */
export function identifyFinding(finding: Pick<Finding, (typeof IDENTITY)[number]>): string {
  return JSON.stringify(IDENTITY.map((field) => finding[field]));
}

const IDENTITY = ['operation', 'kind', 'outcome', 'path', 'recorded', 'embedded'] as const;

async function readKnownFindings(
  { cwd, signal }: Context,
  name: string | undefined,
): Promise<ReadonlySet<string>> {
  if (name === undefined) return new Set();
  const grading = tryParseJson(String(await readNamedFile(name, cwd, { signal })));
  const findings = isObject(grading) ? grading['findings'] : undefined;
  if (!Array.isArray(findings) || !findings.every(isFinding))
    throw new SvcError('invalid_input', `${name} is not the JSON output of this command`);
  return new Set(findings.map(identifyFinding));
}

const isFinding = (value: unknown): value is Grading['findings'][number] => isObject(value);
