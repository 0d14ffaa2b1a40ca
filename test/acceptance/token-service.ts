import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { mockService, success } from './mock-service.ts';

const RESET_PATH = '/v2/workspace/authtoken/reset';

/** What happens to a reset: `apply` replaces the token and gives the new one. */
export type ResetFault = (apply: () => string, response: ServerResponse) => void;

/** Answers a reset as the interface says. */
export const wellAnswered: ResetFault = (apply, response) => answer(response, 200, resetReply(apply()));

/** Breaks the connection off, before or after the token was replaced. */
export const brokenOff =
  (applied: boolean): ResetFault =>
  (apply, response) => {
    if (applied) apply();
    response.destroy();
  };

export const resetReply = (token: string) =>
  success({ apiKey: 'key-1', newAuthToken: { token, name: 'Default Auth Token', domains: [] } }).body;

/**
 * A service with one API key and its auth token, which `fault` decides about: resets get the faults in order, and the
 * last one from then on. Anything that is called as the API key is answered when the token is the one that counts.
 */
export async function tokenService(...faults: readonly ResetFault[]) {
  const issued = [newToken()];
  let resets = 0;
  let reads: 'answered' | 'refused' | 'dropped' = 'answered';
  const { env, received } = await mockService(({ path, headers }, response) => {
    if (path === RESET_PATH) {
      const fault = faults[Math.min(resets, faults.length - 1)] ?? wellAnswered;
      resets += 1;
      fault(() => issued[issued.push(newToken()) - 1] ?? '', response);
    } else if (reads === 'dropped') response.destroy();
    else if (reads === 'refused') response.writeHead(401, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');
    else if (headers['x-svc-auth-token'] === issued.at(-1)) return success({});
    else answer(response, 401, { error: { status: 'UNAUTHENTICATED', message: 'Invalid auth token.' } });
    return undefined;
  });
  return {
    env: {
      ...env,
      SVC_AUTH_TOKEN: issued[0] ?? '',
      SVC_WORKSPACE_ID: 'workspace-1',
      SVC_WORKSPACE_AUTH_TOKEN: newToken(),
    },
    received,
    /** The token that counts. */
    current: () => issued.at(-1) ?? '',
    isReplaced: () => issued.length > 1,
    resets: () => resets,
    /** From now on nothing but resets is answered. */
    goSilent: () => {
      reads = 'dropped';
    },
    /** Everything is answered as it was. */
    answerAgain: () => {
      reads = 'answered';
    },
    /** From now on a gateway answers everything but resets, with HTML. */
    refuseReads: () => {
      reads = 'refused';
    },
  };
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

const newToken = () => randomBytes(18).toString('base64url');
