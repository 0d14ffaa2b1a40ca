import { SvcError } from '../../kernel/errors.ts';
import { identifyFile, identifyOpenFile } from '../../kernel/file-identity.ts';
import { resolveOutputPath } from '../../kernel/named-file.ts';
import { SWITCH_VARIABLES } from '../../kernel/variables.ts';
import type { ConnectedCommand } from '../context.ts';
import type { ArgumentDefinition, Invocation, OptionDefinition } from '../definition.ts';
import { type FileUse, getFlagValue, longName } from '../options.ts';
import type { CommandFile } from './check-outputs.ts';

const [STEP_SUMMARY, STEP_OUTPUT] = ['GITHUB_STEP_SUMMARY', 'GITHUB_OUTPUT'];

interface NamedFile extends CommandFile {
  readonly use: FileUse;
}

/**
 * Checks the files that a command line and the environment name, if one of them is written or is
 * also stdout.
 * @param connects as in `CommandFiles`
 * @throws SvcError `usage` like `checkOutputs`
 */
export async function checkCommandFiles(
  context: ConnectedCommand,
  flags: readonly OptionDefinition[],
  operands: readonly ArgumentDefinition[],
  invocation: Invocation,
  connects: boolean,
): Promise<void> {
  const named = findFiles(flags, operands, invocation);
  const addVariable = (name: string) => {
    const file = context.environment[name];
    if (file) named.push({ name, file, use: 'edited' });
  };
  addVariable(SWITCH_VARIABLES.contract);
  if (getFlagValue(invocation.options, 'github') === true) addVariable(STEP_OUTPUT);
  if (named.length > 0) addVariable(STEP_SUMMARY);
  const isInput = ({ use }: NamedFile) => use === 'input' || use === 'data';
  const outputs = named.flatMap(({ use, ...file }) =>
    use === 'input' || use === 'data' ? [] : [{ ...file, use }],
  );
  const inputs = named.filter(isInput);
  if (outputs.length === 0) return checkFoundFiles(context, inputs);
  const { checkOutputs } = await import('./check-outputs.ts');
  await checkOutputs(context, {
    inputs,
    outputs,
    connects,
    force: getFlagValue(invocation.options, 'force') === true,
  });
}

/**
 * Checks that stdout is not redirected to a file that a command reads. Takes files that no flag names,
 * too, such as `svc.yaml`.
 * @throws SvcError `usage` like `checkOutputs`
 */
export async function checkFoundFiles(
  context: ConnectedCommand,
  inputs: readonly CommandFile[],
): Promise<void> {
  const stdout = inputs.length > 0 ? identifyOpenFile(1) : undefined;
  if (stdout === undefined) return;
  const read = await Promise.all(
    inputs.map(({ file }) => identifyFile(resolveOutputPath(file, context.cwd))),
  );
  if (!read.includes(stdout)) return;
  const { checkOutputs } = await import('./check-outputs.ts');
  await checkOutputs(context, { inputs, outputs: [] });
}

function findFiles(
  flags: readonly OptionDefinition[],
  operands: readonly ArgumentDefinition[],
  { options, arguments: words }: Invocation,
): NamedFile[] {
  const fromFlags = flags.flatMap((flag) => {
    const use = flag.file ?? (/<(file|path)>$/.test(flag.flags) ? 'input' : undefined);
    const name = longName(flag);
    const value = use && getFlagValue(options, name);
    return use && typeof value !== 'boolean'
      ? [value ?? []].flat().map((file) => ({ name: `--${name}`, file, use }))
      : [];
  });
  const fromWords = operands.flatMap(({ file: use }, at) => {
    const file = words[at];
    // The same file may be named twice: svc pull svc.yaml --file svc.yaml.
    const isKnown = fromFlags.some((named) => named.file === file && named.use === use);
    return use && file !== undefined && !isKnown ? [{ name: 'the file', file, use }] : [];
  });
  return [...fromFlags, ...fromWords].flatMap(({ name, file, use }) => {
    // Only `--data @file` names a file.
    if (use === 'data' && !file.startsWith('@')) return [];
    if (file === '-') {
      if (STREAMABLE.includes(use)) return [];
      const stdout = use === 'edited' || use === 'folder' ? '' : 'for stdout, use /dev/stdout; ';
      throw new SvcError('usage', `${name} must be a file, got '-'`, {
        hint: `${stdout}for a file of this name, use ./-`,
      });
    }
    return { name, file: use === 'data' ? file.slice(1) : file, use };
  });
}

/** The uses in which `-` stands for stdin or stdout. */
const STREAMABLE: readonly FileUse[] = ['input', 'data', 'report', 'export'];
