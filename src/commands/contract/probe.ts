import { resolve } from 'node:path';
import { DEFAULT_CONTRACT_FILE } from '../../contract/contract.ts';
import { addToContractFile, readContractIfExists } from '../../contract/contract-file.ts';
import { type ProbeTarget, planProbe, runProbe } from '../../contract/probe.ts';
import { createRecorder } from '../../contract/recorder.ts';
import { formatNounCount } from '../../kernel/plural.ts';
import { closeAfter } from '../../kernel/resource.ts';
import { serviceLabel } from '../connection/protected-profile.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../definition.ts';
import type { ProbeFlags } from './flags.ts';

/** @throws SvcError, with nothing recorded, if the service is unreachable or refuses the credential */
export async function probeCommand(
  context: Context,
  { options }: Invocation<ProbeFlags>,
): Promise<void> {
  const { cwd, folders, clock } = context;
  const { file: name = DEFAULT_CONTRACT_FILE } = options;
  const path = resolve(cwd, name);
  await readContractIfExists(path, name);
  const { org, workspaceId, workspaceAuthToken } = await context.targetWithSecrets();
  const target: ProbeTarget = {
    organizationId: options.org ?? org?.value,
    hasWorkspace: workspaceId !== undefined && workspaceAuthToken !== undefined,
  };
  await announce(context, target);
  const recorder = createRecorder();
  const opened = context.reopen({ recorder });
  await closeAfter(opened, async (probing) =>
    runProbe(await probing.context.client(), recorder, target),
  );
  const recorded = await recorder.contract();
  await addToContractFile({ path, name, stateFolder: folders.state, clock }, recorded);
  const sent = [...recorded.operations.values()].flat().reduce((sum, { seen }) => sum + seen, 0);
  await context.note(`Recorded ${formatNounCount(sent, 'response')} in ${name}`);
}

/** Maximum number of operations that are listed. */
const MAX_LISTED = 12;

async function announce(context: Context, target: ProbeTarget): Promise<void> {
  const steps = planProbe(target);
  const total = steps.reduce((sum, { requests }) => sum + requests, 0);
  await context.note(
    `Sending up to ${total} read-only requests to ${await serviceLabel(context)}:`,
  );
  for (const { operation, requests } of steps.slice(0, MAX_LISTED))
    await context.note(
      `  ${operation.replaceAll('.', ' ')}${requests > 1 ? ` × ${requests}` : ''}`,
    );
  if (steps.length > MAX_LISTED)
    await context.note(`  and ${formatNounCount(steps.length - MAX_LISTED, 'more operation')}`);
  if (target.organizationId === undefined)
    await context.note('Folders and documents are not read; to read them, add --org');
}
