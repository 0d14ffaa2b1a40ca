import { findJsonSecrets, redactJsonText, redactText, rememberSecret } from '../kernel/redact.ts';
import { redactUrls } from '../kernel/redact-urls.ts';
import type { CallEvent } from './call-event.ts';
import { credentialValuesOf } from './credentials.ts';
import { createPlannedRequest, type WireRequest } from './request.ts';
import type { Target } from './target.ts';
import type { WireResponse } from './transport.ts';

/** Creates an observer that redacts the target's credentials and all secrets in responses. */
export function createObserver(target: Target, observe: ((event: CallEvent) => void) | undefined) {
  const secrets = new Set(credentialValuesOf(target));
  return {
    request(attempt: number, request: WireRequest) {
      observe?.({
        kind: 'request',
        attempt,
        get request() {
          return createPlannedRequest(request, secrets);
        },
      });
    },
    response(attempt: number, request: WireRequest, { httpStatus, body }: WireResponse, milliseconds: number) {
      observe?.({
        kind: 'response',
        attempt,
        get url() {
          return redactUrls(redactText(request.url, secrets));
        },
        httpStatus,
        milliseconds,
        get body() {
          if ('flaw' in body) return `(${body.flaw})`;
          for (const secret of findJsonSecrets(body.text)) secrets.add(rememberSecret(secret));
          return redactUrls(redactJsonText(body.text, secrets));
        },
      });
    },
  };
}
