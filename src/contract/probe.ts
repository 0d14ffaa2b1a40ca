import { loadOperation, type OperationName } from '../catalog/index.ts';
import { getEntry } from '../catalog/manifest.ts';
import type { Client } from '../client/client.ts';
import { createReadOnlyClient } from '../client/read-only.ts';
import { type Failure, SIGNAL_FAILURES, SvcError } from '../kernel/errors.ts';
import { isObject } from '../kernel/json.ts';
import type { Recorder } from './recorder.ts';

export interface ProbeTarget {
  readonly organizationId?: string | undefined;
  readonly hasWorkspace: boolean;
}

/** Requests of one operation, and the largest number of them. */
export interface ProbeStep {
  readonly operation: OperationName;
  readonly requests: number;
}

type Send = (input: object) => Promise<unknown>;

interface ProbePart extends ProbeStep {
  readonly needs?: 'organization' | 'workspace';
  readonly run: (send: Send, found: FoundIds) => Promise<void>;
}

/** IDs in responses that later requests use. They are never recorded. */
interface FoundIds {
  readonly org: object;
  agents: readonly string[];
  folder: string | undefined;
  documents: readonly string[];
}

const UNKNOWN = 'svc-contract-probe';
const NO_INPUT = async (send: Send) => void (await send({}));

/**
 * The requests of a probe, in order: reads of every operation that changes nothing and hands out no
 * credential, with known and unknown IDs.
 */
const PARTS: readonly ProbePart[] = [
  { operation: 'webhooks.config.get', requests: 1, run: NO_INPUT },
  { operation: 'webhooks.advanced.get', requests: 1, run: NO_INPUT },
  { operation: 'email.get', requests: 1, run: NO_INPUT },
  { operation: 'permission-provider.get', requests: 1, run: NO_INPUT },
  { operation: 'workspace.get', requests: 1, needs: 'workspace', run: NO_INPUT },
  {
    operation: 'webhooks.endpoints.list',
    requests: 3,
    run: async (send) => {
      await send({});
      const first = await send({ limit: 1 });
      const { iterator } = Object(first);
      if (typeof iterator === 'string') await send({ limit: 1, iterator });
    },
  },
  {
    operation: 'agents.list',
    requests: 4,
    run: async (send, found) => {
      found.agents = idsOf(Object(await send({})).agents, 'id');
      await send({ filter: 'defaultOnly' });
      await send({ filter: 'customOnly' });
      await send({ groupId: UNKNOWN });
    },
  },
  {
    operation: 'agents.get',
    requests: 4,
    run: async (send, { agents }) => {
      for (const agentId of [...agents.slice(0, 3), UNKNOWN]) await send({ agentId });
    },
  },
  {
    operation: 'folders.list',
    requests: 4,
    needs: 'organization',
    run: async (send, found) => {
      [found.folder] = idsOf(await send(found.org), 'folderId');
      if (found.folder !== undefined) {
        await send({ ...found.org, folderId: found.folder });
        await send({ ...found.org, folderId: found.folder, maxDepth: 3 });
      }
      await send({ ...found.org, folderId: UNKNOWN });
    },
  },
  {
    operation: 'folders.list.v1',
    requests: 2,
    needs: 'organization',
    run: async (send, { org, folder }) => {
      await send(org);
      if (folder !== undefined) await send({ ...org, folderId: folder });
    },
  },
  {
    operation: 'documents.list',
    requests: 5,
    needs: 'organization',
    run: async (send, found) => {
      const first = await send({ ...found.org, pageSize: 1 });
      found.documents = idsOf(first, 'id');
      await send({ ...found.org, pageSize: 20 });
      await send({ ...found.org, documentIds: [...found.documents, UNKNOWN] });
      if (found.folder !== undefined) await send({ ...found.org, folderId: found.folder });
      await send({ ...found.org, folderId: UNKNOWN });
    },
  },
  {
    operation: 'users.data',
    requests: 1,
    needs: 'organization',
    run: async (send, { org }) => void (await send({ ...org, userId: UNKNOWN })),
  },
  {
    operation: 'crdt.get',
    requests: 1,
    needs: 'organization',
    run: async (send, { org, documents: [documentId = UNKNOWN] }) =>
      void (await send({ ...org, documentId, editorId: UNKNOWN })),
  },
  {
    operation: 'documents.migration-status',
    requests: 1,
    needs: 'organization',
    run: async (send, { org }) => void (await send({ ...org, migrationId: UNKNOWN })),
  },
];

function selectParts({ organizationId, hasWorkspace }: ProbeTarget): readonly ProbePart[] {
  return PARTS.filter(({ needs }) =>
    needs === 'organization' ? organizationId !== undefined : needs === undefined || hasWorkspace,
  );
}

export function planProbe(target: ProbeTarget): readonly ProbeStep[] {
  return selectParts(target);
}

/** Failures after which no further request makes sense. Any other failure is a recorded outcome. */
const ENDINGS: readonly Failure[] = [
  'unreachable',
  'no_credential',
  'unauthenticated',
  'resource_exhausted',
  'local',
  'bug',
  ...Object.values(SIGNAL_FAILURES),
];

/**
 * Sends the requests of a probe on a connection that rejects writes.
 * @throws SvcError if the service cannot be reached, rejects the credentials, or denies every read
 */
export async function runProbe(
  client: Client,
  recorder: Recorder,
  target: ProbeTarget,
): Promise<void> {
  const reader = createReadOnlyClient(client);
  const { organizationId } = target;
  const org = organizationId === undefined ? {} : { organizationId };
  const found: FoundIds = { org, agents: [], folder: undefined, documents: [] };
  let denied: SvcError | undefined;
  // Workspace credentials are others than those of the API key.
  let isAllDenied = true;
  for (const { operation: name, run } of selectParts(target)) {
    const operation = await loadOperation(getEntry(name).resource, name);
    await run(async (input) => {
      try {
        const outcome = await reader.send(operation, input);
        if (operation.auth === 'key') isAllDenied = false;
        return outcome.sent ? outcome.data : undefined;
      } catch (error) {
        if (!(error instanceof SvcError) || ENDINGS.includes(error.failure)) throw error;
        if (error.failure === 'permission_denied') denied ??= error;
        else if (operation.auth === 'key') isAllDenied = false;
        if (error.failure === 'invalid_response' && !(await hasServiceResponse(recorder)))
          throw error;
        return undefined;
      }
    }, found);
  }
  if (denied && isAllDenied) throw denied;
}

/** Whether any response was one of the service, and not a page of another server. */
async function hasServiceResponse(recorder: Recorder): Promise<boolean> {
  const { operations } = await recorder.contract();
  return [...operations.values()].flat().some(({ envelope }) => envelope !== 'none');
}

function idsOf(list: unknown, field: string): readonly string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((record) => {
    const id = isObject(record) ? record[field] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
}
