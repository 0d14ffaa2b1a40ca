import type { Environment } from '../../kernel/folders.ts';
import { muteWarnings } from '../../kernel/io.ts';

/** Set to 0, it has Node.js take any certificate for the right one. */
export const CHECKS_VARIABLE = 'NODE_TLS_REJECT_UNAUTHORIZED';

export function skipsCertificateChecks(environment: Environment): boolean {
  return environment[CHECKS_VARIABLE] === '0';
}

/** What that means, in words for users; those that Node.js has for programmers are not said from now on. */
export function skippedChecksWarning(): string {
  muteWarnings((text) => text.includes(CHECKS_VARIABLE));
  return `${CHECKS_VARIABLE}=0: any server is taken for the service, and can read the credentials`;
}
