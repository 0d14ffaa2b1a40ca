import type { OperationName } from '../catalog/index.ts';
import { getEntry } from '../catalog/manifest.ts';

/**
 * Kind of a finding about an operation: the HTTP status, the error status, the envelope, a field that
 * the embedded service lacks, or the type of a field.
 */
export type FindingKind = 'http' | 'status' | 'envelope' | 'field' | 'type';

export const OPTIONS_DECISION =
  'without options, svc serve has every feature, and responds with success to a bulk call of which some records fail';

const CREDENTIALS =
  'credentials are checked first: missing is INVALID_ARGUMENT, an unknown API key is PERMISSION_DENIED, a wrong token is UNAUTHENTICATED';
const PROTOCOL =
  'success is {"result"}, failure is {"error"}, and each error status has one HTTP status';
const CREDENTIAL_STATUSES: readonly unknown[] = ['UNAUTHENTICATED', 'PERMISSION_DENIED'];

/** Returns the decision of the embedded service that a finding contradicts, in a sentence. */
export function decisionOf(
  operation: OperationName,
  kind: FindingKind,
  status: string | null,
): string {
  if (CREDENTIAL_STATUSES.includes(status)) return CREDENTIALS;
  return kind === 'http' || kind === 'envelope' ? PROTOCOL : getEntry(operation).decision;
}
