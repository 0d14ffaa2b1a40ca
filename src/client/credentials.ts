import type { Auth } from '../catalog/define.ts';
import { CREDENTIAL_HEADERS, CREDENTIALS_OF, type Credential, DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import { SvcError } from '../kernel/errors.ts';
import { headerValueFault } from '../kernel/header-value.ts';
import { type Hint, hint, step, template } from '../kernel/hint.ts';
import { VARIABLES } from '../kernel/variables.ts';
import { headerPrefixFault, type Target } from './target.ts';

/**
 * The headers that say as whom an operation is called.
 * @throws SvcError `no_credential` when the target lacks what the operation asks for; `usage` for what no header can
 * carry, without repeating it.
 */
export function credentialHeaders(target: Target, auth: Auth): Readonly<Record<string, string>> {
  const prefixFault = headerPrefixFault(target.headerPrefix);
  if (prefixFault) throw new SvcError('usage', prefixFault, { hint: `write it like ${DEFAULT_HEADER_PREFIX}` });
  const values = credentials(target);
  return Object.fromEntries(
    CREDENTIALS_OF[auth].map((credential) => {
      const name = CREDENTIAL_HEADERS[credential];
      const value = values[credential];
      if (!value) throw missing(name.replaceAll('-', ' '), target, auth);
      const fault = headerValueFault(value);
      if (fault) throw new SvcError('usage', `the ${name.replaceAll('-', ' ')} is not usable: ${fault}`);
      return [target.headerPrefix + name, value];
    }),
  );
}

function missing(name: string, { withheld }: Target, auth: Auth): SvcError {
  const reason = withheld === undefined ? '' : `: ${withheld}`;
  return new SvcError('no_credential', `this needs a credential, and there is no ${name}${reason}`, {
    hint: hint`save it with \`${template('configure', ['profiles', 'add'], '<name>')}\` or set ${credentialVariables(auth)}; or use the embedded service with --local`,
  });
}

/** The variables that an operation's credential may be set in, as a sentence names them. */
export function credentialVariables(auth: Auth): string {
  return CREDENTIALS_OF[auth].map((credential) => VARIABLES[credential]).join(' and ');
}

/** For the error of a credential that was refused: which one it was, never its token, and where each half came from. */
export function refusedCredentialHint({ key, workspace, sources }: Target, auth: Auth): string | Hint {
  const [id, kind] = auth === 'workspace' ? [workspace?.workspaceId, 'workspace'] : [key?.apiKey, 'API key'];
  if (auth === 'none' || id === undefined) return 'it was called without a credential';
  const source = sources?.[auth];
  const used = `it was called as ${kind} ${id}`;
  if (!source) return `${used} with its auth token`;
  const origin =
    source.id === source.token
      ? `${used} with its auth token, both from ${source.id}`
      : `${used} (from ${source.id}) with an auth token from ${source.token}`;
  return hint`${origin}: ${step('show', 'auth', 'status')} shows them`;
}

/** Every credential of a target: what `--debug` must not show, whichever operation is called. */
export function credentialValues(target: Target): readonly string[] {
  return Object.values(credentials(target));
}

/** The credentials that are secrets. The others are ids, and an operation may be about them. */
export function secretValues(target: Target): readonly string[] {
  const { authToken, workspaceAuthToken } = credentials(target);
  return [authToken, workspaceAuthToken].filter((secret) => secret !== undefined);
}

function credentials({ key, workspace }: Target): Readonly<Partial<Record<Credential, string>>> {
  return { ...key, ...workspace };
}
