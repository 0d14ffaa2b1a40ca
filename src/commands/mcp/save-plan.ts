import { lstat } from 'node:fs/promises';
import type { OperationEntry } from '../../catalog/manifest.ts';
import { assertAllowed } from '../../client/write-guard.ts';
import { SvcError } from '../../kernel/errors.ts';
import { resolveOutputPath } from '../../kernel/named-file.ts';
import { serviceLabel } from '../connection/protected-profile.ts';
import { ensureAllowed, findProtections } from '../connection/protections.ts';
import type { Context } from '../context.ts';
import { checkOutputs } from '../outputs/check-outputs.ts';
import { approveCommand } from '../render-next.ts';
import { commandForService } from '../service-flags.ts';
import { loadChecked, runInMemory, type ToolHost, type ToolRun } from './run-tool.ts';
import type { ToolArguments } from './tools.ts';

/**
 * Refuses a write that the target does not accept from an agent. If a person can approve it, the
 * hint says how.
 * @throws SvcError `read_only` or `approval_required`
 */
export async function ensureWriteAllowed(context: Context, entry: OperationEntry): Promise<void> {
  try {
    await ensureAllowed(context, entry);
  } catch (error) {
    if (!(error instanceof SvcError) || error.failure !== 'approval_required') throw error;
    throw error.reworded({
      hint: "to save a plan, call write with saveAs, such as plan.json; a person signs it with 'svc approve plan.json', and then sends it with 'svc apply plan.json'",
    });
  }
}

/**
 * Saves the plan of a write in the working directory of the server, and returns the commands with
 * which a person sends it. Sends nothing.
 * @throws SvcError `usage` if the file exists, or is not a plain name that ends in `.json`
 */
export async function savePlanOfWrite(
  context: Context,
  entry: OperationEntry,
  name: string,
  { input, token, keep, host }: Pick<ToolArguments, 'input' | 'token' | 'keep'> & SavingHost,
): Promise<ToolRun> {
  if (token !== undefined)
    throw new SvcError('usage', 'saveAs and token cannot be combined; nothing was sent');
  if (context.options.dryRun)
    throw new SvcError('usage', 'this server only shows requests, and saves no plan');
  const { readOnly, approvals } = await findProtections(context);
  assertAllowed({ readOnly }, entry);
  await loadChecked(entry, input);
  const file = await resolveNewFile(context, name);
  const saved = await runInMemory(context, entry, input, {
    ...host,
    keep,
    out: file,
    confirm: async () => undefined,
  });
  if (saved.error !== undefined) return saved;
  const shown = {
    plan: file,
    sent: false,
    operation: entry.name,
    target: await serviceLabel(context),
    next: {
      ...(approvals && approveCommand(file)),
      apply: commandForService(context.options, 'apply', file),
    },
  };
  const advice = approvals
    ? 'a person reads and signs the plan with the approve command, and then sends it with the apply command'
    : 'a person sends the plan with the apply command';
  return { text: JSON.stringify(shown), notes: [advice, ...saved.notes] };
}

interface SavingHost {
  readonly host: ToolHost;
}

const PLAIN_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]*\.json$/u;

/** Returns the absolute path of a new file, which people in other folders can use. */
async function resolveNewFile(context: Context, name: string): Promise<string> {
  if (!PLAIN_NAME.test(name))
    throw new SvcError(
      'usage',
      'saveAs must be the name of a .json file without a folder; nothing was saved',
    );
  const file = resolveOutputPath(name, context.cwd);
  await checkOutputs(context, { inputs: [], outputs: [{ name: 'saveAs', file, use: 'plan' }] });
  const isTaken = await lstat(file).then(
    () => true,
    () => false,
  );
  if (isTaken)
    throw new SvcError('usage', `saveAs: ${file} already exists; nothing was saved`, {
      hint: 'choose another name',
    });
  return file;
}
