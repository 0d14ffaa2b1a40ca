import { describe, expect, it } from 'vitest';
import { type State, stateSchema } from '../../src/catalog/state.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { predict } from '../../src/settings/plan/foresight.ts';
import type { PlannedWrite } from '../../src/settings/plan.ts';

const ACME = { organizationId: 'acme' };

function write(
  operation: PlannedWrite['operation'],
  data: PlannedWrite['shared'],
  shared = {},
): PlannedWrite {
  const key = operation === 'webhooks.config.update' ? 'config//webhook' : operation;
  return { operation, shared, items: [{ key, data, requires: [] }] };
}

/** Predicts the effects of writes on a service with the given records. */
async function effectsOf(
  records: Partial<State>,
  ...writes: readonly PlannedWrite[]
): Promise<readonly string[]> {
  const snapshot = stateSchema.parse(records);
  const { effects } = await predict({ snapshot, writes, clock: systemClock });
  return effects;
}

describe('predict', () => {
  it('counts the triggers that the first enable switches on, without those that the write sets', async () => {
    const enable = write('webhooks.config.update', {
      useWebhookService: true,
      webhookServiceConfig: {
        authToken: { $secret: { env: 'TOKEN' } },
        triggers: { 'comment.add': true },
      },
    });
    expect(await effectsOf({}, enable)).toEqual([
      'enabling webhook for the first time turns on 16 triggers',
    ]);
    const triggers = { 'comment.add': false };
    const stored = { useWebhookService: false, webhookServiceConfig: { triggers } };
    expect(await effectsOf({ config: { webhook: stored } }, enable)).toEqual([]);
  });

  it('names the email provider that the first enable sets', async () => {
    const emailServiceConfig = { type: 'default', apiKey: '', fromEmail: '' } as const;
    const email = { useEmailService: false, emailServiceConfig };
    const enable = write('email.update', {
      useEmailService: true,
      emailServiceConfig: { fromEmail: 'a@b.co' },
    });
    expect(await effectsOf({ config: { email } }, enable)).toEqual([
      'enabling email for the first time turns on 7 triggers',
      'email: emailServiceConfig.type becomes "custom"',
    ]);
  });

  it('counts the folders that move along and those whose access changes', async () => {
    const inner = Array.from({ length: 212 }, (_, at) => ({
      ...ACME,
      folderId: `inner${at}`,
      parentFolderId: at === 0 ? 'plans' : `inner${at % 7 === 0 ? 0 : at - 1}`,
    }));
    const folders = [
      { ...ACME, folderId: 'vault', accessType: 'restricted' },
      { ...ACME, folderId: 'plans' },
      ...inner,
    ];
    const move = write('folders.update', { folderId: 'plans', parentFolderId: 'vault' }, ACME);
    const add = write('folders.add', { folderId: 'drafts', parentFolderId: 'plans' }, ACME);
    expect(await effectsOf({ folders }, move, add)).toEqual([
      '212 subfolders move with the parent folder',
      '213 folders become restricted',
      '1 folder inherits the access type restricted',
    ]);
  });

  it('names organizations that a write creates in passing', async () => {
    const add = write('users.add', { userId: 'hank' }, ACME);
    expect(await effectsOf({}, add)).toEqual(['organization acme is created if it does not exist']);
    const declared = write('organizations.add', { organizationId: 'acme' });
    expect(await effectsOf({}, declared, add)).toEqual([]);
  });

  it('predicts refusals of single records and of whole writes', async () => {
    const folders = [
      { ...ACME, folderId: 'a' },
      { ...ACME, folderId: 'b', parentFolderId: 'a' },
    ];
    const cycle = write('folders.update', { folderId: 'a', parentFolderId: 'b' }, ACME);
    const unknown = write('webhooks.endpoints.update', {
      endpointId: 'ep_unknown',
      disabled: true,
    });
    expect(await effectsOf({ folders }, cycle, unknown)).toEqual([
      expect.stringMatching(/^a would be rejected: /),
      expect.stringMatching(
        /^webhooks\.endpoints\.update would be rejected: Advanced webhooks are not configured/,
      ),
    ]);
  });

  it('says why records cannot be simulated', async () => {
    const folders = [{ ...ACME, folderId: 'b', parentFolderId: 'gone' }];
    expect(await effectsOf({ folders }, write('folders.add', { folderId: 'c' }, ACME))).toEqual([
      "the plan cannot be simulated: folders[0].parentFolderId: folder 'gone' does not exist",
    ]);
  });

  it('skips live fields that are unknown, and says which live value is invalid', async () => {
    const rename = write('folders.update', { folderId: 'plans', folderName: 'Roadmap' }, ACME);
    const predictFrom = async (live: object) =>
      (
        await predict({
          snapshot: { ...stateSchema.parse({}), ...live },
          writes: [rename],
          clock: systemClock,
        })
      ).effects;
    const folders = [{ ...ACME, folderId: 'plans', color: 'red' }];
    expect(await predictFrom({ folders })).toEqual([]);
    expect(await predictFrom({ folders: [ACME] })).toEqual([
      'the plan cannot be simulated: folders[0].folderId: is required',
    ]);
    expect(
      await predictFrom({
        folders,
        config: { webhook: { webhookServiceConfig: { rawNotificationUrl: 'x' } } },
      }),
    ).toEqual([
      'the plan cannot be simulated: config.webhook.webhookServiceConfig.rawNotificationUrl: not a valid http(s) URL',
    ]);
  });

  it('returns the state after the writes', async () => {
    const snapshot = stateSchema.parse({
      folders: [{ ...ACME, folderId: 'plans', folderName: 'Plans' }],
    });
    const rename = write('folders.update', { folderId: 'plans', folderName: 'Roadmap' }, ACME);
    const { state } = await predict({ snapshot, writes: [rename], clock: systemClock });
    expect(state.folders).toMatchObject([{ folderId: 'plans', folderName: 'Roadmap' }]);
  });
});
