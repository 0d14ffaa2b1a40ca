import { monotonicNow } from '../kernel/clock.ts';
import { SvcError } from '../kernel/errors.ts';
import { findJsonSecrets, redactJsonText, redactText, rememberSecret } from '../kernel/redact.ts';
import { redactUrls } from '../kernel/redact-urls.ts';
import type { CallEvent } from './call-event.ts';
import type { ClientOptions } from './client-options.ts';
import { createRejectedCredentialHint, credentialValuesOf, secretValuesOf } from './credentials.ts';
import { parseResponse } from './envelope.ts';
import { createNetworkFailure } from './network-failure.ts';
import type { SendFailure, SendOutcome } from './outcome.ts';
import { type CalledOperation, createPlannedRequest, type WireRequest } from './request.ts';
import type { Target } from './target.ts';
import type { WireResponse } from './transport.ts';

/**
 * Sends a request once and interprets the response. Rejects only with the signal's reason: other
 * errors are outcomes.
 */
export type SendOnce = (
  operation: CalledOperation,
  request: WireRequest,
  attempt: number,
) => Promise<SendOutcome>;

export function createSendOnce(options: ClientOptions): SendOnce {
  const { target, clock, signal, record, hasClientCertificate, transport } = options;
  const observer = createObserver(target, options.observe);
  const redact = (text: string) => redactText(text, secretValuesOf(target));

  async function send(
    request: WireRequest,
    abortSignal: AbortSignal | undefined,
  ): Promise<WireResponse | SendFailure> {
    try {
      return await transport(request, abortSignal);
    } catch (error) {
      abortSignal?.throwIfAborted();
      if (error instanceof SvcError) throw error;
      return createNetworkFailure(error, new URL(request.url).host, options);
    }
  }

  return async (operation, planned, attempt) => {
    const span = planned.span?.startAttempt(attempt, planned.url);
    const request = span
      ? { ...planned, headers: { ...planned.headers, ...span.headers } }
      : planned;
    observer.request(attempt, request);
    const started = monotonicNow(clock);
    // A batch in flight finishes even if the job is stopped, so that its outcome is known.
    const abortSignal = operation.bulk ? undefined : signal;
    let httpStatus: number | undefined;
    const response = await send(request, abortSignal)
      .then((received) => {
        if (!('kind' in received)) httpStatus = received.httpStatus;
        return received;
      })
      .finally(() => span?.end(httpStatus));
    if ('kind' in response) return response;
    observer.response(attempt, request, response, monotonicNow(clock) - started);
    const outcome = await parseResponse(response, {
      operation,
      expectedIds: request.expectedIds,
      signal: abortSignal,
      now: () => clock.now(),
      redact,
      hasClientCertificate,
      host: () => new URL(request.url).host,
      credentialHint: () => createRejectedCredentialHint(target, operation.auth),
    });
    record?.({
      path: operation.path,
      requestBody: request.body,
      response,
      confirmed: outcome.kind === 'success' && outcome.confirmed === true,
    });
    return outcome;
  };
}

function createObserver(target: Target, observe: ((event: CallEvent) => void) | undefined) {
  const secrets = new Set(credentialValuesOf(target));
  return {
    request(attempt: number, request: WireRequest) {
      observe?.({
        kind: 'request',
        attempt,
        request: () => createPlannedRequest(request, secrets),
      });
    },
    response(
      attempt: number,
      request: WireRequest,
      { httpStatus, body }: WireResponse,
      milliseconds: number,
    ) {
      observe?.({
        kind: 'response',
        attempt,
        url: () => redactUrls(redactText(request.url, secrets)),
        httpStatus,
        milliseconds,
        body: () => {
          if ('flaw' in body) return `(${body.flaw})`;
          for (const secret of findJsonSecrets(body.text)) secrets.add(rememberSecret(secret));
          return redactUrls(redactJsonText(body.text, secrets));
        },
      });
    },
  };
}
