import { onTestFinished } from 'vitest';
import { DEFAULT_HEADER_PREFIX } from '../../src/catalog/headers.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/fetch-transport.ts';
import { createRecorder, type Recorder } from '../../src/contract/recorder.ts';
import type { ServiceOptions } from '../../src/service/app.ts';
import { startServer } from '../../src/service/server.ts';
import { startTestService, type TestService } from '../service/test-service.ts';

export interface RecordedWorld {
  readonly service: TestService;
  readonly recorder: Recorder;
  readonly client: Client;
  /** Calls an operation, whatever the outcome is. */
  readonly call: (path: string, data: unknown, auth?: 'workspace' | 'none') => Promise<void>;
}

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
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    if (!change) return fetch(request);
    return change(new URL(request.url).pathname, await service.fetch(request));
  };
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
    transport: createFetchTransport(send, 10_000),
    maxWait: 0,
    record: recorder.record,
  });
  const call: RecordedWorld['call'] = async (path, data, auth) => {
    const operation = { path, auth: auth ?? ('key' as const), effect: 'once' as const };
    await client.send(operation, data).catch(() => undefined);
  };
  return { service, recorder, client, call };
}
