import { resolve } from 'node:path';
import type { ClientOptions } from '../../client/client-options.ts';
import { messageOf } from '../../kernel/errors.ts';
import { SWITCH_VARIABLES } from '../../kernel/variables.ts';
import type { Context } from '../context.ts';

interface Recording {
  readonly record: NonNullable<ClientOptions['record']>;
  /** @param error why the command failed; an error of the save itself is then only a warning */
  save(error: unknown): Promise<void>;
}

/**
 * Starts to record the exchanges of a command, if `SVC_CONTRACT` names a file.
 * @throws SvcError `invalid_input` if the file is not a contract, before anything is sent
 */
export async function openRecording(context: Context): Promise<Recording | undefined> {
  const { recorder: given, environment, options, cwd, folders, clock } = context;
  if (given) return { record: given.record, save: async () => undefined };
  const name = environment[SWITCH_VARIABLES.contract];
  if (!name || options.dryRun) return undefined;
  const [{ addToContractFile, readContractIfExists }, { createRecorder }] = await Promise.all([
    import('../../contract/contract-file.ts'),
    import('../../contract/recorder.ts'),
  ]);
  const path = resolve(cwd, name);
  await readContractIfExists(path, name);
  const recorder = createRecorder();
  const save = async () => {
    const recorded = await recorder.contract();
    if (recorded.operations.size + recorded.otherPaths > 0)
      await addToContractFile({ path, name, stateFolder: folders.state, clock }, recorded);
  };
  return {
    record: recorder.record,
    save: (error) =>
      save().catch(async (problem: unknown) => {
        if (error === undefined) throw problem;
        await context.warn(`the exchanges were not recorded: ${messageOf(problem)}`);
      }),
  };
}
