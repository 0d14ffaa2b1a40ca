import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { startMockService, success } from './mock-service.ts';

const RESET_PATH = '/v2/workspace/authtoken/reset';

/** Fault of a reset. `apply` replaces the token and returns the new one. */
export type ResetFault = (apply: () => string, response: ServerResponse) => void;

/** Responds to a reset as the API specifies. */
export const respondNormally: ResetFault = (apply, response) =>
  respond(response, 200, buildResetResponse(apply()));

/** Closes the connection, before or after the token is replaced. */
export const closeConnection =
  (applied: boolean): ResetFault =>
  (apply, response) => {
    if (applied) apply();
    response.destroy();
  };

export const buildResetResponse = (token: string) =>
  success({ apiKey: 'key-1', newAuthToken: { token, name: 'Default Auth Token', domains: [] } })
    .body;

/**
 * Creates a service with one API key and its auth token. Resets use the list of faults in order,
 * and then the last fault. All other calls with the API key succeed if they use the current token.
 */
export async function startTokenService(...faults: readonly ResetFault[]) {
  const issued = [newToken()];
  let resets = 0;
  let reads: 'answered' | 'refused' | 'dropped' = 'answered';
  const { env, received } = await startMockService(({ path, headers }, response) => {
    if (path === RESET_PATH) {
      const fault = faults[Math.min(resets, faults.length - 1)] ?? respondNormally;
      resets += 1;
      fault(() => issued[issued.push(newToken()) - 1] ?? '', response);
    } else if (reads === 'dropped') response.destroy();
    else if (reads === 'refused')
      response.writeHead(401, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>');
    else if (headers['x-svc-auth-token'] === issued.at(-1)) return success({});
    else
      respond(response, 401, {
        error: { status: 'UNAUTHENTICATED', message: 'Invalid auth token.' },
      });
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
    /** Returns the current token. */
    current: () => issued.at(-1) ?? '',
    isReplaced: () => issued.length > 1,
    resets: () => resets,
    /** From now on, the service responds only to resets. */
    goSilent: () => {
      reads = 'dropped';
    },
    /** The service responds to all requests again. */
    answerAgain: () => {
      reads = 'answered';
    },
    /** From now on, a gateway responds to everything except resets with HTML. */
    refuseReads: () => {
      reads = 'refused';
    },
  };
}

function respond(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

const newToken = () => randomBytes(18).toString('base64url');
