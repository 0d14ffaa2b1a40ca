import type { Environment } from '../../kernel/folders.ts';
import { muteWarnings } from '../../kernel/process.ts';

/** If set to 0, Node.js accepts any certificate. */
export const TLS_CHECKS_VARIABLE = 'NODE_TLS_REJECT_UNAUTHORIZED';

export function skipsCertificateChecks(environment: Environment): boolean {
  return environment[TLS_CHECKS_VARIABLE] === '0';
}

/** Creates the warning about skipped certificate checks. Mutes the warning of Node.js. */
export function skippedChecksWarning(): string {
  muteWarnings((text) => text.includes(TLS_CHECKS_VARIABLE));
  return `${TLS_CHECKS_VARIABLE}=0 turns certificate checks off: any server can pose as the service and read the credentials`;
}
