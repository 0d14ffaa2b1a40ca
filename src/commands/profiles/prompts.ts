import { SvcError } from '../../kernel/errors.ts';
import type { Profile, Secrets } from '../../profiles/profile.ts';
import { parseSecret } from '../../profiles/secret-input.ts';
import type { SavedSecrets } from '../../profiles/store.ts';
import type { Context } from '../context.ts';

type Check = (value: string, source: string) => string;

/** Asks until the answer passes the check. */
export async function askChecked(context: Context, message: string, check: Check): Promise<string> {
  const prompter = await context.prompter();
  const answer = await prompter.text({
    message,
    validate: (typed) => findProblem(() => check(typed, message)),
  });
  return check(answer, message);
}

export type TokenName = 'authToken' | 'workspaceAuthToken';

/** Asks for the auth token of an API key or a workspace, until the answer is valid in a header. */
export async function askToken(context: Context, name: TokenName, owner: string): Promise<string> {
  const question = `Auth token of ${name === 'authToken' ? '' : 'workspace '}${owner}`;
  const prompter = await context.prompter();
  for (;;) {
    const typed = await prompter.secret(question);
    const problem = findProblem(() => parseSecret(typed, question));
    if (problem === undefined) return parseSecret(typed, question);
    await context.warn(problem);
  }
}

function findProblem(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    return error.hint === undefined ? error.message : `${error.message}; ${error.hint}`;
  }
}

/** Warns if secrets are stored in a file, because the keychain failed. */
export async function warnAboutStorage(
  context: Context,
  name: string,
  { location, keychainProblem }: SavedSecrets,
): Promise<void> {
  if (keychainProblem === undefined) return;
  const consequence = `the secrets of '${name}' are stored unencrypted in a private ${location}`;
  await context.warn(`the keychain ${keychainProblem}, so ${consequence}`);
}

interface VerifiedSecrets {
  readonly secrets: Secrets;
  readonly isVerified: boolean;
}

/**
 * Verifies the credentials of a profile with a read. Asks again for a rejected token that the user
 * typed.
 * @param typed the tokens that the user typed
 * @throws SvcError if the service rejects a credential that was not typed
 */
export async function verifySecrets(
  context: Context,
  profile: Profile,
  secrets: Secrets,
  typed: readonly TokenName[],
): Promise<VerifiedSecrets> {
  const { verifyCredentials } = await import('./verify.ts');
  for (let current = secrets; ; ) {
    const { isVerified, problem, rejection } = await verifyCredentials(context, profile, current);
    if (!rejection) {
      if (problem !== undefined)
        await context.warn(`the credentials could not be verified: ${problem.message}`);
      return { secrets: current, isVerified };
    }
    const name = rejection.kind === 'key' ? 'authToken' : 'workspaceAuthToken';
    const owner = rejection.kind === 'key' ? profile.apiKey : profile.workspaceId;
    if (!typed.includes(name) || owner === undefined) throw rejection.error;
    await context.warn(rejection.error.message);
    current = { ...current, [name]: await askToken(context, name, owner) };
  }
}
