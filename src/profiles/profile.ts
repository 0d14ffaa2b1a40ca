import { DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import { findHeaderPrefixProblem, parseBaseUrl } from '../client/target.ts';
import { SvcError } from '../kernel/errors.ts';
import { findIdProblem, suggestId } from '../kernel/id-text.ts';
import type { SecretSetting } from '../kernel/variables.ts';
import type { SignersFile } from './required-approvals.ts';

/** A saved profile without its secrets. Unknown fields are preserved. */
export interface Profile {
  readonly baseUrl?: string | undefined;
  readonly headerPrefix?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly workspaceId?: string | undefined;
  /** Path of the certificate authorities to trust in addition. */
  readonly caFile?: string | undefined;
  /** Paths of the client certificate and its private key. */
  readonly clientCert?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly org?: string | undefined;
  readonly output?: string | undefined;
  readonly protected?: boolean | undefined;
  readonly readOnly?: boolean | undefined;
  /** Number of people who must approve a plan. Without it, the other writes are allowed too. */
  readonly approvals?: number | undefined;
  readonly signers?: SignersFile | undefined;
  /** Time when the saved auth token was replaced, and the new one was saved elsewhere: RFC 3339. */
  readonly authTokenReplacedAt?: string | undefined;
  /** The ID under which its secrets are stored. Renaming the profile does not change it. */
  readonly id?: string | undefined;
  /** The location of each secret: `keychain`, `file`, or a value from a newer version of svc. */
  readonly secrets?: { readonly [Name in SecretSetting]?: string } | undefined;
}

export type Secrets = { readonly [Name in SecretSetting]?: string | undefined };

/** Parses a profile name. @throws SvcError `usage` */
export function parseProfileName(text: string): string {
  if (/^[A-Za-z0-9._-]+$/.test(text)) return text;
  throw new SvcError('usage', `invalid profile name '${text}'`, {
    hint: "use only letters, digits, '.', '_', and '-'",
  });
}

export function originOf({ baseUrl }: Pick<Profile, 'baseUrl'>): string | undefined {
  return baseUrl === undefined ? undefined : new URL(parseBaseUrl(baseUrl, 'baseUrl')).origin;
}

export function parseHeaderPrefix(text: string, source: string): string {
  const problem = findHeaderPrefixProblem(text);
  if (problem)
    throw new SvcError('usage', `${source}: ${problem}`, {
      hint: `use a prefix like ${DEFAULT_HEADER_PREFIX}`,
    });
  return text.toLowerCase();
}

/**
 * Parses the ID of an organization in a setting.
 * @throws SvcError `usage` for an ID that svc does not accept, naming the source
 */
export function parseOrganization(text: string, source: string): string {
  const problem = findIdProblem(text);
  if (problem === undefined) return text;
  const meant = suggestId(text);
  throw new SvcError('usage', `${source}: the organization ID ${problem}`, {
    ...(meant !== undefined && { hint: `did you mean '${meant}'?` }),
  });
}
