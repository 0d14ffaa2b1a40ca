import { resolve } from 'node:path';
import { parseBaseUrl } from '../../client/target.ts';
import { SvcError } from '../../kernel/errors.ts';
import { completeLoopbackUrl } from '../../kernel/loopback.ts';
import {
  type Profile,
  parseHeaderPrefix,
  parseOrganization,
  type Secrets,
} from '../../profiles/profile.ts';
import { parseCredential } from '../../profiles/secret-input.ts';
import { readSigners } from '../../profiles/signers.ts';
import { findSshKeygen } from '../../profiles/ssh-keygen.ts';
import { readSecretFlag } from '../call/data-argument.ts';
import type { Context } from '../context.ts';
import { parseWholeNumber } from '../options.ts';
import type { ProfileFlags } from './flags.ts';

/** The values of a profile that the flags of a command set. */
export interface FlagValues {
  readonly profile: Profile;
  readonly secrets: Secrets;
}

/** @throws SvcError `usage` for an invalid value, or for two secrets from stdin */
export async function readProfileFlags(context: Context, flags: ProfileFlags): Promise<FlagValues> {
  const { authTokenStdin, workspaceAuthTokenStdin } = flags;
  if (authTokenStdin && workspaceAuthTokenStdin) {
    const problem =
      '--auth-token-stdin and --workspace-auth-token-stdin: only one secret can be read from stdin';
    throw new SvcError('usage', problem, { hint: 'read the other secret from a file' });
  }
  const { baseUrl } = context.options;
  const checked = (
    value: string | undefined,
    flag: string,
    check: (value: string, source: string) => string,
  ) => (value === undefined ? undefined : check(value, flag));
  // An empty path removes the file from a profile.
  const path = (given: string | undefined) => given && resolve(context.cwd, given);
  return {
    profile: {
      baseUrl: checked(baseUrl, '--base-url', parseTypedBaseUrl),
      headerPrefix: checked(flags.headerPrefix, '--header-prefix', parseHeaderPrefix),
      apiKey: checked(flags.apiKey, '--api-key', parseCredential),
      workspaceId: checked(flags.workspaceId, '--workspace-id', parseCredential),
      caFile: path(context.options.caFile),
      clientCert: path(context.options.clientCert),
      clientKey: path(context.options.clientKey),
      org: checked(flags.org, '--org', parseOrganization),
      output: flags.defaultOutput,
      ...(await readApprovalFlags(context, flags)),
    },
    secrets: {
      authToken: await readSecretFlag(context, 'auth-token', flags.authTokenFile, authTokenStdin),
      workspaceAuthToken: await readSecretFlag(
        context,
        'workspace-auth-token',
        flags.workspaceAuthTokenFile,
        workspaceAuthTokenStdin,
      ),
    },
  };
}

/** Parses a base URL. An address of this machine needs no scheme. @throws SvcError `usage` */
export function parseTypedBaseUrl(text: string, source: string): string {
  return parseBaseUrl(completeLoopbackUrl(text), source);
}

async function readApprovalFlags(
  { cwd, environment }: Context,
  { approvals, signers: file }: ProfileFlags,
): Promise<Pick<Profile, 'approvals' | 'signers'>> {
  const count = parseWholeNumber('--approvals', approvals, 1);
  if (file === undefined) return { approvals: count };
  const path = resolve(cwd, file);
  const { sha256 } = await readSigners(path).catch((error: unknown) => {
    if (!(error instanceof SvcError)) throw error;
    throw new SvcError('invalid_input', `--signers: ${error.message}`, { cause: error });
  });
  const sshKeygen = await findSshKeygen({ environment });
  return { approvals: count, signers: { path, sha256, sshKeygen } };
}

/**
 * Checks that a profile with approvals can be satisfied.
 * @throws SvcError `usage` if one of the two is missing, or with fewer signers than approvals
 */
export async function checkApprovalRule({ approvals, signers }: Profile): Promise<void> {
  if (approvals === undefined && signers === undefined) return;
  if (approvals === undefined || signers === undefined) {
    const [given, missing] =
      approvals === undefined ? ['--signers', '--approvals'] : ['--approvals', '--signers'];
    throw new SvcError('usage', `${given} also needs ${missing}`);
  }
  const { signers: lines } = await readSigners(signers.path);
  const keys = new Set(lines.map(({ key }) => key));
  if (keys.size < approvals)
    throw new SvcError(
      'usage',
      `${signers.path} has ${keys.size} signers, fewer than --approvals ${approvals}`,
    );
}
