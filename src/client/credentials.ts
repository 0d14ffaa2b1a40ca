import type { Auth } from '../catalog/define.ts';
import {
  CREDENTIAL_HEADERS,
  CREDENTIALS_BY_AUTH,
  type CredentialName,
  DEFAULT_HEADER_PREFIX,
} from '../catalog/headers.ts';
import { type Hint, hint, SvcError, step, stepWithPlaceholder } from '../kernel/errors.ts';
import { SETTING_VARIABLES } from '../kernel/variables.ts';
import { findHeaderPrefixProblem, type Target } from './target.ts';

/**
 * @throws SvcError `no_credential`; `usage` for a value that is not valid in a header, without the
 * value
 */
export function createCredentialHeaders(
  target: Target,
  auth: Auth,
): Readonly<Record<string, string>> {
  const prefixProblem = findHeaderPrefixProblem(target.headerPrefix);
  if (prefixProblem)
    throw new SvcError('usage', prefixProblem, {
      hint: `use a prefix like ${DEFAULT_HEADER_PREFIX}`,
    });
  if (auth === 'workspace' && target.workspaceConflict) throw target.workspaceConflict;
  const values = credentialsOf(target);
  return Object.fromEntries(
    CREDENTIALS_BY_AUTH[auth].map((credential) => {
      const name = CREDENTIAL_HEADERS[credential];
      const value = values[credential];
      if (!value) throw createMissingCredentialError(formatHeaderName(name), target, auth);
      const problem = findHeaderValueProblem(value);
      if (problem)
        throw new SvcError('usage', `the ${formatHeaderName(name)} is invalid: ${problem}`);
      return [target.headerPrefix + name, value];
    }),
  );
}

function formatHeaderName(name: string): string {
  return name.replaceAll('-', ' ').replace(/\b(?:api|id)\b/, (word) => word.toUpperCase());
}

function createMissingCredentialError(
  name: string,
  { missingReason, profile }: Target,
  auth: Auth,
): SvcError {
  const saving =
    profile === undefined
      ? stepWithPlaceholder('configure', ['login'], '<name>')
      : step('configure', 'login', profile, '--replace');
  const reason = missingReason === undefined ? '' : `: ${missingReason}`;
  return new SvcError(
    'no_credential',
    `this command needs a credential, but no ${name} is set${reason}`,
    {
      hint: hint`to save it, run ${saving}, or set ${credentialVariablesOf(auth)}, or use the embedded service with --local`,
    },
  );
}

export function credentialVariablesOf(auth: Auth): string {
  return CREDENTIALS_BY_AUTH[auth].map((credential) => SETTING_VARIABLES[credential]).join(' and ');
}

/** Creates the hint for a rejected credential: its ID and sources, but not the token. */
export function createRejectedCredentialHint(
  { key, workspace, sources }: Target,
  auth: Auth,
): string | Hint {
  const [id, kind] =
    auth === 'workspace' ? [workspace?.workspaceId, 'workspace'] : [key?.apiKey, 'API key'];
  if (auth === 'none' || id === undefined) return 'the request was sent without a credential';
  const source = sources?.[auth];
  if (source?.replaced) {
    const { profile, at } = source.replaced;
    const saving = step('configure', 'profiles', 'update', profile, '--auth-token-stdin');
    return hint`the auth token of profile '${profile}' was replaced at ${at}; to save the new one, run ${saving}`;
  }
  const used = `the request used ${kind} ${id}`;
  if (!source) return `${used} and its auth token`;
  const description =
    source.id === source.token
      ? `${used} and its auth token, both from ${source.id}`
      : `${used} (from ${source.id}) and an auth token from ${source.token}`;
  return hint`${description}; to show the settings, run ${step('show', 'whoami', '--all')}`;
}

export function credentialValuesOf(target: Target): readonly string[] {
  return Object.values(credentialsOf(target));
}

/** Returns the credentials that are secrets, without the IDs, which operations may refer to. */
export function secretValuesOf(target: Target): readonly string[] {
  const { authToken, workspaceAuthToken } = credentialsOf(target);
  return [authToken, workspaceAuthToken].filter((secret) => secret !== undefined);
}

function credentialsOf({
  key,
  workspace,
}: Target): Readonly<Partial<Record<CredentialName, string>>> {
  return { ...key, ...workspace };
}

/**
 * Describes why a text is not a valid HTTP header value, without repeating the text; `undefined` if
 * it is valid.
 */
export function findHeaderValueProblem(value: string): string | undefined {
  if (value.trim() === '') return 'it is empty';
  if (/[\r\n]/.test(value)) return 'it contains a line break';
  if (value.includes('\0')) return 'it contains a NUL character';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are rejected
  if (/[\u0001-\u001f\u007f]/.test(value)) return 'it contains a control character';
  if (/[^\0-\u00ff]/.test(value)) return 'it contains a character outside Latin-1';
  return undefined;
}
