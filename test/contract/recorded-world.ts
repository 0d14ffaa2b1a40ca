import { onTestFinished } from 'vitest';
import type { Auth } from '../../src/catalog/define.ts';
import { DEFAULT_HEADER_PREFIX } from '../../src/catalog/headers.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/fetch-transport.ts';
import { createHttpTransport } from '../../src/client/http-transport.ts';
import type { Transport } from '../../src/client/transport.ts';
import { createRecorder, type Recorder } from '../../src/contract/recorder.ts';
import type { ServiceOptions } from '../../src/service/app.ts';
import { startServer } from '../../src/service/server.ts';
import { startTestService, type TestService } from '../service/test-service.ts';

export interface RecordedWorld {
  readonly service: TestService;
  readonly recorder: Recorder;
  readonly client: Client;
  /** Calls an operation, whatever the outcome is. */
  readonly call: (path: string, data: unknown, auth?: Auth) => Promise<void>;
}

const ATTEMPT_TIMEOUT = 10_000;

type ChangeResponse = (path: string, response: Response) => Promise<Response> | Response;

/**
 * A service whose exchanges are recorded: behind the server of `svc serve`, or in this process with
 * `change`, which replaces its responses.
 */
export async function startRecordedWorld(
  options: ServiceOptions = {},
  change?: ChangeResponse,
): Promise<RecordedWorld> {
  const service = await startTestService(options);
  const server = await startServer(service.handle, { host: '127.0.0.1', port: 0 });
  onTestFinished(server.close);
  const recorder = createRecorder();
  const { apiKey, authToken, workspaceId, workspaceAuthToken } = service.credentials;
  const client = createClient({
    clock: service.clock,
    target: {
      baseUrl: server.url,
      headerPrefix: DEFAULT_HEADER_PREFIX,
      key: { apiKey, authToken },
      workspace: { workspaceId, workspaceAuthToken },
    },
    transport: change ? changingTransport(service, change) : networkTransport(),
    maxWait: 0,
    record: recorder.record,
  });
  const call: RecordedWorld['call'] = async (path, data, auth) => {
    const operation = { path, auth: auth ?? 'key', effect: 'once' } as const;
    await client.send(operation, data).catch(() => undefined);
  };
  return { service, recorder, client, call };
}

function networkTransport(): Transport {
  const { transport, close } = createHttpTransport({ attemptTimeout: ATTEMPT_TIMEOUT });
  onTestFinished(close);
  return transport;
}

function changingTransport({ fetch }: TestService, change: ChangeResponse): Transport {
  return createFetchTransport(async (input, init) => {
    const request = new Request(input, init);
    return change(new URL(request.url).pathname, await fetch(request));
  }, ATTEMPT_TIMEOUT);
}
