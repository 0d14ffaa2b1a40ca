import { DEFAULT_HEADER_PREFIX } from '../catalog/headers.ts';
import { baseUrlFault, headerPrefixFault } from '../client/target.ts';
import { SvcError } from '../kernel/errors.ts';
import type { SecretName } from '../kernel/variables.ts';

/** What a profile holds that is no secret. Fields that this version does not know are kept as they are. */
export interface Profile {
  /** Origin and optional path, without a trailing slash. */
  readonly baseUrl?: string | undefined;
  readonly headerPrefix?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly workspaceId?: string | undefined;
  readonly org?: string | undefined;
  readonly output?: string | undefined;
  /** Writes through it are asked about by name. */
  readonly protected?: boolean | undefined;
  /** Under which its secrets are kept: its own for good, whatever it is renamed to. */
  readonly id?: string | undefined;
  /** Where each of its secrets lies: a Place, or what only a newer version knows. */
  readonly secrets?: { readonly [Name in SecretName]?: string } | undefined;
}

export type Secrets = { readonly [Name in SecretName]?: string | undefined };

/** Where a secret may lie. */
export type Place = 'keychain' | 'file';

/** A name as given by the user. @throws SvcError `usage` */
export function checkName(text: string): string {
  if (/^[A-Za-z0-9._-]+$/.test(text)) return text;
  throw new SvcError('usage', `'${text}' cannot be the name of a profile`, {
    hint: "a name is made of letters, digits, '.', '_' and '-'",
  });
}

/** An address as given by the user, without trailing slashes. @throws SvcError `usage`, naming the source */
export function checkBaseUrl(text: string, source: string): string {
  const fault = baseUrlFault(text);
  if (fault) throw new SvcError('usage', `${source}: ${fault}`, { hint: 'write it like https://api.example.com' });
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

/** The one origin that the secrets of a profile are for; `undefined` when it leads nowhere. */
export function originOf({ baseUrl }: Pick<Profile, 'baseUrl'>): string | undefined {
  return baseUrl === undefined ? undefined : new URL(checkBaseUrl(baseUrl, 'baseUrl')).origin;
}

/** The start of every header name. @throws SvcError `usage`, naming the source */
export function checkHeaderPrefix(text: string, source: string): string {
  const fault = headerPrefixFault(text);
  if (fault) throw new SvcError('usage', `${source}: ${fault}`, { hint: `write it like ${DEFAULT_HEADER_PREFIX}` });
  return text.toLowerCase();
}
