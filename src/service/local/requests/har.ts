import type { RequestDetail } from '../../../catalog/local/answers.ts';
import { version } from '../../../kernel/version.ts';

const JSON_TYPE = 'application/json';

/** Formats requests as an HTTP archive (HAR 1.2), which the developer tools of browsers read. */
export function formatHar(requests: readonly RequestDetail[]): string {
  const log = {
    version: '1.2',
    creator: { name: 'svc', version },
    entries: requests.map(createEntry),
  };
  return `${JSON.stringify({ log }, undefined, 2)}\n`;
}

function createEntry(detail: RequestDetail): object {
  const { id, time, method, path, operation, org, status, error, ms, fault } = detail;
  const [sent, received] = [detail.request, detail.response].map((body) =>
    body === null ? '' : JSON.stringify(body),
  );
  const message = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 };
  const headers = [{ name: 'content-type', value: JSON_TYPE }];
  const comment = [`request ${id}`, operation, org && `org ${org}`, fault && `fault ${fault}`]
    .filter(Boolean)
    .join(', ');
  return {
    startedDateTime: time,
    time: ms,
    comment,
    cache: {},
    timings: { send: 0, wait: ms, receive: 0 },
    request: {
      ...message,
      method,
      url: `http://localhost${path}`,
      headers: sent ? headers : [],
      queryString: [],
      bodySize: Buffer.byteLength(sent ?? ''),
      ...(sent && { postData: { mimeType: JSON_TYPE, text: sent } }),
    },
    response: {
      ...message,
      status: status ?? 0,
      statusText: error ?? (status === null ? '' : 'OK'),
      headers: received ? headers : [],
      redirectURL: '',
      bodySize: Buffer.byteLength(received ?? ''),
      content: { size: Buffer.byteLength(received ?? ''), mimeType: JSON_TYPE, text: received },
    },
  };
}
