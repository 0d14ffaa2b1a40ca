import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { WEBHOOK_TRIGGERS } from '../../src/catalog/events.ts';
import type { Client } from '../../src/client/client.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { isObject } from '../../src/kernel/json.ts';
import { loadSettings } from '../../src/settings/file/load-settings.ts';
import { parseSettings } from '../../src/settings/file/read-settings.ts';
import { KIND_CLASSES } from '../../src/settings/kinds.ts';
import { queryDeclared } from '../../src/settings/live/declared-query.ts';
import { readLive } from '../../src/settings/live/read-live.ts';
import { createSnapshot, selectPredictable } from '../../src/settings/live/snapshot.ts';
import type { LiveRecord, LiveRecords } from '../../src/settings/live-records.ts';
import { buildPlan } from '../../src/settings/plan/build-plan.ts';
import {
  collectDeclaredRecords,
  collectLiveRecords,
  compareRecords,
} from '../../src/settings/plan/compare.ts';
import { predict } from '../../src/settings/plan/foresight.ts';
import { findUnshownChange, rebuildPlan } from '../../src/settings/plan/rebuild-plan.ts';
import { createSavedPlan, parseSavedPlan } from '../../src/settings/plan/saved-plan.ts';
import type { Plan } from '../../src/settings/plan.ts';
import { createSettings } from '../../src/settings/pull/create-settings.ts';
import { editSettings } from '../../src/settings/pull/edit-settings.ts';
import { queryPulled, wasRead } from '../../src/settings/pull/pulled-query.ts';
import { toPulledConfigs, toPulledRecords } from '../../src/settings/pull/pulled-records.ts';
import type { Declared } from '../../src/settings/settings.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { startPlannedWorld } from './planned-world.ts';

const TARGET = { url: 'http://localhost', apiKey: 'key' };

function planFor(declared: Declared, live: Partial<LiveRecords>, rest: object = {}): Plan {
  const none = {
    configs: new Map(),
    folders: new Map(),
    documents: new Map(),
    agents: { records: new Map() },
    reads: 0,
  };
  const query = queryDeclared(declared);
  return buildPlan({
    declared,
    query,
    live: { ...none, ...live },
    target: TARGET,
    isSent: () => false,
    ...rest,
  });
}

const url = fc
  .string({ maxLength: 5 })
  .map((text) => `https://example.com/${encodeURIComponent(text)}`);
const trigger = fc.constantFrom(...Object.keys(WEBHOOK_TRIGGERS));
const webhook = fc.record(
  {
    authToken: fc.string().filter((text) => !text.startsWith('*')),
    processedNotificationUrl: url,
    encodeData: fc.boolean(),
    publicKey: fc.string({ minLength: 1 }),
    rawNotificationUrl: fc.oneof(url, fc.constantFrom('', null)),
    futureField: fc.jsonValue().filter((value) => !isObject(value)),
    triggers: fc.dictionary(trigger, fc.boolean(), { minKeys: 1 }),
  },
  { requiredKeys: ['triggers'] },
);
const declaredWebhook = fc.record(
  {
    rawNotificationUrl: url,
    encodeData: fc.boolean(),
    triggers: fc.dictionary(trigger, fc.boolean()),
  },
  { requiredKeys: [] },
);

/** Replaces the nested settings as a whole, which is the worst that a service may do. */
function replaceNested(live: LiveRecord, { writes }: Plan): LiveRecord {
  const data = writes[0]?.items[0]?.data;
  if (!data) return live;
  const restored = JSON.stringify(data, (field, value) =>
    isObject(value) && value['$secret'] === 'live'
      ? Object(live['webhookServiceConfig'])[field]
      : value,
  );
  return { ...live, ...JSON.parse(restored) };
}

it('keeps undeclared fields byte-equal, even if the service replaces whole objects', SLOW, () => {
  fc.assert(
    fc.property(webhook, declaredWebhook, fc.boolean(), (stored, declared, use) => {
      const live = { useWebhookService: use, webhookServiceConfig: stored };
      const config = { webhook: { useWebhookService: true, webhookServiceConfig: declared } };
      const plan = planFor({ config }, { configs: new Map([['webhook', { records: live }]]) });
      const after = Object(replaceNested(live, plan)['webhookServiceConfig']);
      const { triggers, ...fields } = stored;
      const undeclared = (names: object, by: object = {}) =>
        Object.keys(names).filter((name) => !(name in by));
      const textOf = (value: object, names: readonly string[]) =>
        JSON.stringify(names.map((name) => Object(value)[name]));
      const [kept, keptTriggers] = [
        undeclared(fields, declared),
        undeclared(triggers, declared.triggers),
      ];
      expect(textOf(after, kept) + textOf(after.triggers, keptTriggers)).toBe(
        textOf(stored, kept) + textOf(triggers, keptTriggers),
      );
    }),
    { numRuns: repeats(500) },
  );
});

const endpointFields = {
  url: fc.constantFrom('https://a.example', 'https://b.example'),
  description: fc.option(fc.constantFrom('One', 'Two')),
  filterTypes: fc.option(fc.uniqueArray(trigger, { minLength: 1, maxLength: 3 })),
  disabled: fc.boolean(),
  rateLimit: fc.option(fc.integer({ min: 1, max: 3 })),
};
const uid = fc.constantFrom('acme.a', 'acme.b', 'acme.c', 'acmeX.d', 'other.e', 'foreign');
const liveEndpoints = fc.uniqueArray(fc.record({ uid: fc.option(uid), ...endpointFields }), {
  selector: (endpoint) => endpoint.uid ?? Math.random(),
});
const declaredEndpoints = fc.uniqueArray(
  fc.record({ uid, ...endpointFields }, { requiredKeys: ['uid', 'url'] }),
  {
    selector: (endpoint) => endpoint.uid,
  },
);

it(
  'never prunes an endpoint that the stack does not own, and sets only declared fields',
  SLOW,
  () => {
    fc.assert(
      fc.property(liveEndpoints, declaredEndpoints, (stored, endpoints) => {
        const live = stored.map((endpoint, at) => ({ id: `ep_${at}`, ...endpoint }));
        const plan = planFor(
          { endpoints },
          { endpoints: { records: live } },
          { prune: true, stack: 'acme', pruneLimit: 99 },
        );
        const declared = new Set<string>(endpoints.map((endpoint) => endpoint.uid));
        const replaced = new Set(
          plan.changes.filter(({ sign }) => sign === '-/+').map(({ id }) => id),
        );
        for (const { operation, items } of plan.writes) {
          for (const { data } of items) {
            const target = live.find(({ id }) => id === data['endpointId']);
            if (operation === 'webhooks.endpoints.delete') {
              const { uid: owned = '' } = target ?? {};
              expect(
                replaced.has(owned) ||
                  (String(owned).startsWith('acme.') && !declared.has(String(owned))),
              ).toBe(true);
            } else if (operation === 'webhooks.endpoints.update') {
              const record = endpoints.find((endpoint) => endpoint.uid === target?.uid);
              expect(Object.keys(record ?? {})).toEqual(
                expect.arrayContaining(Object.keys(data).filter((name) => name !== 'endpointId')),
              );
            }
          }
        }
      }),
      { numRuns: repeats(500) },
    );
  },
);

const ID = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
const folders = fc
  .uniqueArray(ID, { minLength: 1 })
  .chain((ids) =>
    fc.tuple(
      fc.constant(ids),
      fc.array(fc.nat({ max: 5 }), { minLength: ids.length, maxLength: ids.length }),
      fc.array(fc.option(fc.constantFrom('One', 'Two', '第三')), {
        minLength: ids.length,
        maxLength: ids.length,
      }),
    ),
  )
  .map(([ids, parents, names]) =>
    ids.map((folderId, at) => ({
      organizationId: 'acme',
      folderId,
      parentFolderId:
        at === 0
          ? 'root'
          : (['root', ...ids.slice(0, at)][Number(parents[at]) % (at + 1)] ?? 'root'),
      ...(names[at] && { folderName: names[at] }),
    })),
  )
  .chain((tree) => fc.shuffledSubarray(tree, { minLength: tree.length }));
const documents = fc
  .uniqueArray(ID)
  .map((ids) =>
    ids.map((documentId) => ({ organizationId: 'acme', documentId, documentName: documentId })),
  );
const users = fc
  .uniqueArray(ID)
  .map((ids) => ids.map((userId) => ({ organizationId: 'acme', userId, name: userId })));
const world = fc.record(
  {
    folders,
    documents,
    users,
    endpoints: declaredEndpoints,
    config: fc.record(
      {
        webhook: fc.record({
          useWebhookService: fc.boolean(),
          webhookServiceConfig: declaredWebhook,
        }),
        email: fc.record({
          useEmailService: fc.boolean(),
          emailServiceConfig: fc.record({ fromCompany: fc.string() }),
        }),
        advancedWebhooks: fc.record({ isEnabled: fc.constant(true), encodeData: fc.boolean() }),
      },
      { requiredKeys: ['advancedWebhooks'] },
    ),
  },
  { requiredKeys: ['config'] },
);

function expectOrder({ writes }: Plan): void {
  const planned = new Set(writes.flatMap(({ items }) => items.map(({ key }) => key)));
  const done = new Set<string>();
  for (const { items } of writes) {
    for (const { requires } of items)
      for (const key of requires)
        expect([key, planned.has(key), done.has(key)]).toEqual([key, true, true]);
    for (const { key } of items) done.add(key);
  }
}

/** Expects that a plan, saved and read back, makes the same changes with the same writes. */
async function expectRebuilt(plan: Plan, live: LiveRecords): Promise<void> {
  const origin = { stack: 'acme', files: [], secrets: [], allowReplace: true, now: 0 };
  const text = JSON.stringify(await createSavedPlan(plan, origin));
  const saved = await parseSavedPlan(text, 'plan.json');
  const rebuilt = rebuildPlan(saved, { live, secrets: new Map() });
  expect(findUnshownChange(saved, rebuilt)).toBeUndefined();
  expect(JSON.parse(JSON.stringify(rebuilt.writes))).toEqual(
    JSON.parse(JSON.stringify(plan.writes)),
  );
  expect(rebuilt.summary).toEqual(plan.summary);
}

/**
 * Pulls the settings of a service into a file, as `svc pull` does.
 * @param text the file, if it exists
 */
async function pullFrom(client: Client, text?: string): Promise<string> {
  const { signal } = new AbortController();
  const content =
    text === undefined
      ? undefined
      : await parseSettings({
          name: 'svc.yaml',
          files: [{ name: 'svc.yaml', folder: '/', text }],
          environment: undefined,
          signal,
        });
  const selection = { orgs: ['acme'], only: ['config', 'endpoints', 'folders', 'documents'] };
  const { kinds, query } = queryPulled((content?.fields ?? {}) as Declared, selection);
  const live = await readLive(client, query);
  const records = new Map([...toPulledRecords(live)].filter(([kind]) => kinds.has(kind)));
  const pulled = { configs: toPulledConfigs(live), records };
  if (text === undefined || !content) return createSettings(undefined, pulled);
  const edit = { ...pulled, content, environment: undefined };
  const { texts } = await editSettings({
    ...edit,
    wasRead: (kind, record) => wasRead(live, kind, record),
    signal,
  });
  const [edited = text] = texts.values();
  return edited;
}

async function loadText(text: string): Promise<Declared> {
  const variables = { SVC_WEBHOOK_AUTH_TOKEN: 'x' };
  const input = {
    file: '-',
    text,
    environment: undefined,
    cwd: '/',
    stdin: { stream: Readable.from([]) },
    variables,
  };
  return (await loadSettings({ ...input, signal: new AbortController().signal })).declared;
}

const WORLDS = repeats(5);

it(
  'is empty after it was applied, changes what was predicted, and orders writes by their requirements',
  SLOW,
  async () => {
    let pulled = 0;
    await fc.assert(
      fc.asyncProperty(world, world, async (first, second) => {
        const service = await startPlannedWorld();
        const sent = new Set<string>();
        const options = {
          isSent: (record: object) => sent.has(JSON.stringify(record)),
          prune: true,
          stack: 'acme',
          pruneLimit: 99,
        };
        let file: string | undefined;
        for (const declared of [first, second]) {
          const plan = await service.plan(declared, options);
          expectOrder(plan);
          const read = () => readLive(service.client, plan.query);
          await expectRebuilt(plan, await read());
          const writes = selectPredictable(plan.writes);
          const { state } = await predict({
            snapshot: createSnapshot(await read()),
            writes,
            clock: systemClock,
          });
          await service.apply(plan);
          const predicted = { ...collectDeclaredRecords(state), isDeclared: false };
          const wrong = compareRecords(predicted, collectLiveRecords(await read()));
          expect(wrong.filter(({ kind }) => KIND_CLASSES[kind] === 'managed')).toEqual([]);
          const { changes, writes: left } = await service.plan(declared, {
            ...options,
            isSent: () => true,
          });
          expect(left).toEqual([]);
          expect(changes.filter(({ sign }) => sign !== '!')).toEqual([]);
          // A pull into a new file, and into the file of the first world.
          for (const text of [
            await pullFrom(service.client),
            await pullFrom(service.client, file),
          ]) {
            expect((await service.plan(await loadText(text), options)).changes, text).toEqual([]);
            file = text;
            pulled += 1;
          }
        }
      }),
      { numRuns: WORLDS },
    );
    expect(pulled).toBe(4 * WORLDS);
  },
);
