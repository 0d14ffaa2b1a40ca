import { meetSecret, redactJsonText, redactText, secretsInJsonText } from '../kernel/redact.ts';
import { redactUrls } from '../kernel/redact-urls.ts';
import type { CallEvent } from './call-event.ts';
import { credentialValues } from './credentials.ts';
import { plannedRequest, type WireRequest } from './request.ts';
import type { Target } from './target.ts';
import type { WireReply } from './transport.ts';

/** Tells of requests and replies with every credential taken out, those that came in replies included. */
interface Observer {
  request(attempt: number, request: WireRequest): void;
  reply(attempt: number, request: WireRequest, reply: WireReply, milliseconds: number): void;
}

export function createObserver(target: Target, observe: ((event: CallEvent) => void) | undefined): Observer {
  const secrets = new Set(credentialValues(target));
  return {
    request(attempt, request) {
      observe?.({
        kind: 'request',
        attempt,
        get request() {
          return plannedRequest(request, secrets);
        },
      });
    },
    reply(attempt, request, { httpStatus, answer }, milliseconds) {
      observe?.({
        kind: 'reply',
        attempt,
        get url() {
          return redactUrls(redactText(request.url, secrets));
        },
        httpStatus,
        milliseconds,
        get body() {
          if ('flaw' in answer) return `(${answer.flaw})`;
          for (const secret of secretsInJsonText(answer.text)) secrets.add(meetSecret(secret));
          return redactUrls(redactJsonText(answer.text, secrets));
        },
      });
    },
  };
}
