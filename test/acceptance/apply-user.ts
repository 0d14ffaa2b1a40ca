import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { listen } from '../listen.ts';
import { startTestService } from '../service/test-service.ts';
import { startDialogue } from './dialogue.ts';
import { newUserInProcess } from './in-process.ts';

/** A request to the service. */
export interface ApplyRequest {
  readonly path: string;
  readonly isWrite: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests read requests of every shape
  readonly data: any;
  /** Lets the service handle the request. */
  handle(): Promise<void>;
}

/** An error to send in place of the service's response, or the HTTP status of a gateway's page. */
export type ApplyRefusal =
  | { readonly status: string; readonly message: string }
  | { readonly page: number };

export type Intercept = (
  request: ApplyRequest,
) => Promise<ApplyRefusal | undefined> | ApplyRefusal | undefined;

/**
 * A user with a settings file, and an embedded service behind a server that can refuse or delay
 * requests.
 */
export async function createApplyUser() {
  const service = await startTestService();
  const requests: ApplyRequest[] = [];
  const control: { intercept: Intercept } = { intercept: () => undefined };
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const { data } = JSON.parse(await text(request));
    let handled: ReturnType<typeof service.call> | undefined;
    const handle = () => {
      handled ??= service.call(
        path,
        data,
        path.startsWith('/v2/workspace/get') ? service.workspaceHeaders() : undefined,
      );
      return handled;
    };
    const isWrite = !/\/get$/.test(path);
    const received = { path, isWrite, data, handle: async () => void (await handle()) };
    requests.push(received);
    const refusal = await control.intercept(received);
    if (refusal && 'page' in refusal) {
      response.writeHead(refusal.page, { 'content-type': 'text/html', location: '/login' });
      response.end('<!doctype html><h1>Sorry</h1>');
      return;
    }
    const { http, body } = refusal ? { http: 400, body: { error: refusal } } : await handle();
    response.writeHead(http, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const host = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const user = await newUserInProcess();
  const { apiKey, authToken } = service.credentials;
  const env = {
    SVC_BASE_URL: `http://${host}`,
    SVC_API_KEY: apiKey,
    SVC_AUTH_TOKEN: authToken,
    HOOK_TOKEN: 'hook-token-of-acme-1',
    SVC_HISTORY: '0',
  };
  return {
    service,
    requests,
    control,
    home: user.home,
    env,
    state: join(user.home, '.local', 'state', 'svc'),
    writes: () => requests.filter(({ isWrite }) => isWrite),
    declare: (settings: string) => writeFile(join(user.home, 'svc.yaml'), settings),
    svc: (words: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      user.svc(words, { env: { ...env, ...more } }),
    /** Answers questions of svc in a terminal. */
    dialogue: (...words: readonly string[]) =>
      startDialogue([...words, '--file', join(user.home, 'svc.yaml')], { ...user.env, ...env }),
    /** Starts a process of svc. */
    start: (...words: readonly string[]) => user.start(words, { env }),
    read: async (path: string, data: unknown = {}) =>
      (await service.call(path, data)).body.result?.data,
  };
}

export type ApplyUser = Awaited<ReturnType<typeof createApplyUser>>;

/** Settings of every kind, with IDs of their own for each name. */
export const settingsOf = (name: string) => `svc: 1
stack: ${name}
organizations:
  - { organizationId: ${name}, organizationName: Organization ${name} }
folders:
  - { organizationId: ${name}, folderId: a, folderName: A ${name} }
  - { organizationId: ${name}, folderId: b, folderName: B, parentFolderId: a }
  - { organizationId: ${name}, folderId: c, folderName: C, parentFolderId: b }
documents:
  - { organizationId: ${name}, documentId: d1, documentName: One, folderId: c }
  - { organizationId: ${name}, documentId: d2, documentName: Two }
groups:
  - { organizationId: ${name}, groupId: g, groupName: Group, userIds: [u1, u2] }
users:
  - { organizationId: ${name}, userId: u1, name: Ada }
  - { organizationId: ${name}, userId: u2, name: Bo, memberships: [{ type: folder, id: a, accessRole: viewer }, { type: document, id: d2, accessRole: viewer }] }
config:
  webhook:
    useWebhookService: true
    webhookServiceConfig: { rawNotificationUrl: "https://hooks.example.com/${name}", authToken: { env: HOOK_TOKEN } }
  advancedWebhooks: { isEnabled: true }
endpoints:
  - { uid: ${name}.first, url: "https://hooks.example.com/first", filterTypes: [comment.add] }
  - { uid: ${name}.second, url: "https://hooks.example.com/second" }
`;
