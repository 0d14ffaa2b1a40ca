import type { OperationEntry } from '../../catalog/manifest.ts';
import { workspace } from '../../catalog/workspace.ts';
import { hint, messageOf, SvcError, step } from '../../kernel/errors.ts';
import { type Profile, parseProfileName } from '../../profiles/profile.ts';
import { createProfileStore, type ProfileStore, warnAboutTokenFile } from '../../profiles/store.ts';
import { readInputData } from '../call/input-data.ts';
import { checkInput } from '../call/validation.ts';
import { ensureAllowed } from '../connection/protections.ts';
import type { Context } from '../context.ts';
import type { Invocation, RunOperation } from '../definition.ts';
import { runOperation } from '../run/run-operation.ts';
import type { CreateFlags } from './flags.ts';

const CREATE = workspace['workspace.create'];

/**
 * Creates a workspace. Only the response contains its token, so the token is printed, or saved in a
 * profile that exists before the request.
 */
export const createWorkspace: RunOperation<CreateFlags> = async (context, versions, invocation) => {
  const { save, ...options } = invocation.options;
  if (context.options.dryRun || save === undefined) {
    if (!context.options.dryRun) requireOutput(context);
    return runOperation(context, versions, {
      arguments: invocation.arguments,
      options: { ...options },
    });
  }
  await createAndSave(context, versions[0], invocation, parseProfileName(save));
};

/** @throws SvcError `local` if stdout is closed */
function requireOutput({ io }: Context): void {
  if (io.stdout.isDiscarded)
    throw new SvcError(
      'local',
      'stdout is closed, so the token could not be printed; nothing was sent',
      { hint: 'use --save to save the token in a new profile' },
    );
}

async function createAndSave(
  context: Context,
  entry: OperationEntry,
  invocation: Invocation<CreateFlags>,
  name: string,
): Promise<void> {
  await ensureAllowed(context, entry);
  const { data, usesDataFlag } = await readInputData(context, entry, invocation);
  const failure = usesDataFlag ? 'invalid_input' : 'usage';
  const input = CREATE.input.parse(checkInput(context, entry, CREATE, data, failure));
  const base = await describeService(context);
  // An invalid jq expression fails before anything is sent.
  const printer = await context.printer();
  const client = await context.client();
  await client.ensureWritesAllowed();
  const { folders, clock, environment } = context;
  // The store gets no abort signal, because Ctrl-C must not lose a received token.
  const store = createProfileStore({ folders, clock, environment });
  if ((await store.read()).profiles.has(name))
    throw new SvcError(
      'already_exists',
      `--save: profile '${name}' already exists; nothing was sent`,
      {
        hint: 'choose another name',
      },
    );
  // Shows before the request that profiles can be written.
  await store.add(name, base, {});
  const created = await client.call(CREATE, input).catch(async (error: unknown) => {
    await store.remove(name);
    throw error;
  });
  const record = created.sent ? created.data : undefined;
  if (!record?.authToken) {
    await store.remove(name);
    throw new SvcError('outcome_unknown', 'the workspace was created, but its token is lost', {
      hint: 'ask the operator of the service for the token',
    });
  }
  const { id: workspaceId, authToken, apiKeyList } = record;
  const [apiKey] = Object.keys(apiKeyList);
  const profile = { ...base, workspaceId, apiKey };
  try {
    await saveToken(context, store, { name, profile, authToken });
  } catch (error) {
    await printer.value(record, {});
    throw new SvcError(
      'local',
      `the workspace was created, but profile '${name}' could not be saved: ${messageOf(error)}`,
      { hint: 'the output contains the token; keep it', cause: error },
    );
  }
  await printer.value(record, { secrets: [['authToken']] });
  if (apiKey !== undefined)
    await context.note(
      hint`to get a token of its API key, run ${{ ...step('change', 'auth-tokens', 'reset', '--api-key', apiKey, '--save'), flags: ['-p', name] }}`,
    );
}

/** Returns the part of the new profile that is known before the request. */
async function describeService(context: Context): Promise<Profile> {
  const { embedded, baseUrl, headerPrefix, caFile, clientCert, clientKey } = await context.target();
  if (embedded || !baseUrl)
    throw new SvcError('usage', '--save: the embedded service has no profile; nothing was sent', {
      hint: 'omit --save',
    });
  return {
    baseUrl: baseUrl.value,
    headerPrefix: headerPrefix.value,
    caFile: caFile?.value,
    clientCert: clientCert?.value,
    clientKey: clientKey?.value,
  };
}

interface SavedWorkspace {
  readonly name: string;
  readonly profile: Profile;
  readonly authToken: string;
}

async function saveToken(
  context: Context,
  store: ProfileStore,
  { name, profile, authToken }: SavedWorkspace,
): Promise<void> {
  const saved = await store.edit(name, (before, secrets) => ({
    profile: { ...before, ...profile },
    secrets: { ...secrets, workspaceAuthToken: authToken },
  }));
  await warnAboutTokenFile(context, saved);
  await context
    .note(`Saved profile '${name}' for workspace ${profile.workspaceId}`)
    .catch(() => undefined);
}
