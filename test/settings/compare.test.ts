import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SvcError } from '../../src/kernel/errors.ts';
import { collectDeclaredRecords, compareRecords } from '../../src/settings/plan/compare.ts';
import type { Change } from '../../src/settings/plan.ts';
import { SecretValue } from '../../src/settings/secret-value.ts';
import type { Declared } from '../../src/settings/settings.ts';
import { repeats } from '../repeats.ts';
import { SLOW } from '../slow.ts';
import { webUrl } from '../web-url.ts';

const declared = (records: Declared) => collectDeclaredRecords(records);
const live = (records: Declared) => ({ ...collectDeclaredRecords(records), isDeclared: false });

const FOLDER = { organizationId: 'acme', folderId: 'plans', folderName: 'Plans' };
const HOOK = { uid: 'acme.billing', url: 'https://example.com/a' };

const worlds: fc.Arbitrary<Declared> = fc.record({
  folders: fc.uniqueArray(
    fc.record({
      organizationId: fc.constantFrom('acme', 'globex'),
      folderId: fc.constantFrom('a', 'b', '__proto__'),
      folderName: fc.string(),
    }),
    { selector: ({ organizationId, folderId }) => `${organizationId}/${folderId}` },
  ),
  endpoints: fc.uniqueArray(
    fc.record({ uid: fc.constantFrom('x', 'y'), url: webUrl, disabled: fc.boolean() }),
    {
      selector: ({ uid }) => uid,
    },
  ),
  config: fc.record({
    webhook: fc.record({
      useWebhookService: fc.boolean(),
      webhookServiceConfig: fc.record({
        authToken: fc.string(),
        triggers: fc.dictionary(fc.constantFrom('comment.add', 'comment.delete'), fc.boolean()),
      }),
    }),
  }),
});

describe('compareRecords', () => {
  it(
    'finds no changes between equal records, and the reversed changes in the other direction',
    SLOW,
    () => {
      fc.assert(
        fc.property(
          worlds,
          worlds,
          fc.boolean(),
          fc.boolean(),
          (one, other, isFirstLive, isSecondLive) => {
            const left = (isFirstLive ? live : declared)(one);
            const right = (isSecondLive ? live : declared)(other);
            expect(compareRecords(left, (isSecondLive ? live : declared)(one))).toEqual([]);
            const signs: Readonly<Record<string, string>> = { '+': '-', '-': '+' };
            const text = (
              sign: string,
              { kind, org, id, field }: Change,
              values: readonly unknown[],
            ) => JSON.stringify([sign, kind, org, id, field, values]);
            const forward = compareRecords(left, right).map((found) =>
              text(found.sign, found, [found.before, found.after]),
            );
            const backward = compareRecords(right, left).map((found) =>
              text(signs[found.sign] ?? found.sign, found, [found.after, found.before]),
            );
            expect(backward.sort()).toEqual(forward.sort());
          },
        ),
        { numRuns: repeats(150) },
      );
    },
  );

  it('compares only the records and fields of a file with a service, in both directions', () => {
    const file = declared({ folders: [FOLDER] });
    const service = live({
      folders: [
        { ...FOLDER, folderName: 'Roadmap', accessType: 'restricted', lastUpdated: 5 },
        { organizationId: 'acme', folderId: 'other' },
      ],
      endpoints: [HOOK],
    });
    const change = { sign: '~', kind: 'folders', org: 'acme', id: 'plans', field: 'folderName' };
    expect(compareRecords(file, service)).toEqual([
      { ...change, before: 'Plans', after: 'Roadmap' },
    ]);
    expect(compareRecords(service, file)).toEqual([
      { ...change, before: 'Roadmap', after: 'Plans' },
    ]);
  });

  it('compares everything of two services, except what each of them generates', () => {
    const first = live({
      folders: [{ ...FOLDER, lastUpdated: 1 }],
      endpoints: [{ ...HOOK, id: 'ep_1' }],
    });
    const second = live({
      folders: [{ ...FOLDER, lastUpdated: 2 }],
      endpoints: [{ ...HOOK, id: 'ep_2', disabled: true }],
    });
    expect(compareRecords(first, second)).toEqual([
      {
        sign: '~',
        kind: 'endpoints',
        org: null,
        id: 'acme.billing',
        field: 'disabled',
        before: null,
        after: true,
      },
    ]);
  });

  it('compares nothing that one side cannot read, and names it once', () => {
    const problem = new SvcError('permission_denied', 'denied');
    const folders = { kind: 'folders', org: 'acme', id: null, problem } as const;
    const config = { kind: 'config', org: null, id: 'webhook', problem } as const;
    const unreadable = [folders, config];
    const records = (name: string) => ({
      folders: [
        { ...FOLDER, folderName: name },
        { ...FOLDER, folderName: name, organizationId: 'globex' },
      ],
      config: {
        webhook: { useWebhookService: true },
        email: { useEmailService: name === 'Plans' },
      },
    });
    const denied = { ...live({}), unreadable };
    for (const [one, other] of [
      [live(records('Plans')), { ...live(records('Road map')), unreadable }],
      [
        { ...live(records('Plans')), unreadable },
        { ...live(records('Road map')), unreadable },
      ],
    ] as const)
      expect(compareRecords(one, other).map(({ sign, org, id }) => [sign, org, id])).toEqual([
        ['~', 'globex', 'plans'],
        ['?', 'acme', null],
        ['~', null, 'email'],
        ['?', null, 'webhook'],
      ]);
    expect(
      compareRecords(live({ folders: [FOLDER] }), denied).map(({ sign, kind }) => [sign, kind]),
    ).toEqual([
      ['?', 'folders'],
      ['?', 'config'],
    ]);
  });

  it('finds no difference between two services without advanced webhooks', () => {
    const problem = new SvcError('failed_precondition', 'not enabled');
    const endpoints = { kind: 'endpoints', org: null, id: null, problem } as const;
    const without = { ...live({}), unreadable: [endpoints] };
    expect(compareRecords(without, without)).toEqual([]);
    expect(compareRecords(without, live({}))).toMatchObject([{ sign: '?', kind: 'endpoints' }]);
  });

  it('shows only whether secrets differ', () => {
    const config = (authToken: unknown) => ({ webhook: { webhookServiceConfig: { authToken } } });
    const secret = new SecretValue({ env: 'TOKEN' }, 'one');
    expect(
      compareRecords(live({ config: config('one') }), declared({ config: config(secret) })),
    ).toEqual([]);
    const changes = [
      ...compareRecords(live({ config: config('two') }), declared({ config: config(secret) })),
      ...compareRecords(live({ config: config('two') }), live({ config: config('one') })),
      ...compareRecords(live({}), live({ config: config('two') })),
    ];
    expect(changes).toHaveLength(3);
    expect(JSON.stringify(changes)).not.toMatch(/one|two/);
  });
});
