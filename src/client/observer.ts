import { findJsonSecrets, redactJsonText, redactText, rememberSecret } from '../kernel/redact.ts';
import { redactUrls } from '../kernel/redact-urls.ts';
import type { CallEvent } from './call-event.ts';
import { credentialValuesOf } from './credentials.ts';
import { createPlannedRequest, type WireRequest } from './request.ts';
import type { Target } from './target.ts';
import type { WireResponse } from './transport.ts';

/** Reports requests and responses with every credential redacted, including credentials in responses. */
interface Observer {
  request(attempt: number, request: WireRequest): void;
  response(attempt: number, request: WireRequest, response: WireResponse, milliseconds: number): void;
}

export function createObserver(target: Target, observe: ((event: CallEvent) => void) | undefined): Observer {
  const secrets = new Set(credentialValuesOf(target));
  return {
    request(attempt, request) {
      observe?.({
        kind: 'request',
        attempt,
        get request() {
          return createPlannedRequest(request, secrets);
        },
      });
    },
    response(attempt, request, { httpStatus, body }, milliseconds) {
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
