import { DEFAULT_HEADER_PREFIX } from '../../src/catalog/headers.ts';
import { type Client, createClient } from '../../src/client/client.ts';
import { createFetchTransport } from '../../src/client/fetch-transport.ts';
import { createRecorder, type Recorder } from '../../src/contract/recorder.ts';
import type { ServiceOptions } from '../../src/service/app.ts';
import { startTestService, type TestService } from '../service/test-service.ts';

export interface RecordedWorld {
  readonly service: TestService;
  readonly recorder: Recorder;
  readonly client: Client;
  /** Calls an operation, whatever the outcome is. */
  readonly call: (path: string, data: unknown, auth?: 'workspace' | 'none') => Promise<void>;
}

type ChangeResponse = (path: string, response: Response) => Promise<Response> | Response;

/** A service whose exchanges are recorded. `change` plants deviations into its responses. */
export async function startRecordedWorld(
  options: ServiceOptions = {},
  change: ChangeResponse = (_, response) => response,
): Promise<RecordedWorld> {
  const service = await startTestService(options);
  const recorder = createRecorder();
  const { apiKey, authToken, workspaceId, workspaceAuthToken } = service.credentials;
  const client = createClient({
    clock: service.clock,
    target: {
      baseUrl: 'http://localhost',
      headerPrefix: DEFAULT_HEADER_PREFIX,
      key: { apiKey, authToken },
      workspace: { workspaceId, workspaceAuthToken },
    },
    transport: createFetchTransport(async (input, init) => {
      const request = new Request(input, init);
      return change(new URL(request.url).pathname, await service.fetch(request));
    }, 10_000),
    maxWait: 0,
    record: recorder.record,
  });
  const call: RecordedWorld['call'] = async (path, data, auth) => {
    const operation = { path, auth: auth ?? ('key' as const), effect: 'once' as const };
    await client.send(operation, data).catch(() => undefined);
  };
  return { service, recorder, client, call };
}
