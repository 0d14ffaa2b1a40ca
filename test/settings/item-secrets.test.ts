import { expect, it } from 'vitest';
import { redactRemembered } from '../../src/kernel/redact.ts';
import {
  needsLiveSecrets,
  readSecrets,
  revealSecrets,
  withSecretValues,
} from '../../src/settings/plan/item-secrets.ts';
import type { PlannedWrite } from '../../src/settings/plan.ts';
import { type SecretReference, SecretValue } from '../../src/settings/secret-value.ts';
import { createRecordKey } from '../../src/settings/settings.ts';

const URL = 'https://hooks.example.com/';
const nested = (authToken: unknown) => ({
  webhookServiceConfig: { rawNotificationUrl: URL, authToken },
});
const item = ($secret: unknown) => ({
  key: createRecordKey('config', null, 'webhook'),
  data: nested({ $secret }),
});
const without = { webhookServiceConfig: { rawNotificationUrl: URL } };
const NONE = new Map<string, SecretValue>();

it('a secret that only the service has is repeated, and masked in output', () => {
  const live = nested('live-secret-4711');
  expect(revealSecrets(item('live'), NONE, live)).toEqual(live);
  expect(redactRemembered('with live-secret-4711')).toBe('with ****');
});

it.each(['****', '****4711', undefined, null, 12])(
  'a secret that the service shows as %j is left out, so that it stays',
  (shown) => {
    expect(revealSecrets(item('live'), NONE, nested(shown))).toEqual(without);
  },
);

it('a declared secret replaces its reference, and is masked in output', () => {
  const reference = { env: 'HOOK_TOKEN' };
  const secrets = new Map([['env:HOOK_TOKEN', new SecretValue(reference, 'declared-0815')]]);
  expect(revealSecrets(item(reference), secrets, undefined)).toEqual(nested('declared-0815'));
  expect(redactRemembered('with declared-0815')).toBe('with ****');
  expect(withSecretValues(item('live'), secrets)).toEqual(without);
});

it('only declared secrets are read, once each', async () => {
  const reference = { env: 'HOOK_TOKEN' };
  const items = [item(reference), item('live'), item(reference)];
  const read: SecretReference[] = [];
  const secrets = await readSecrets(
    [{ operation: 'webhooks.config.update', shared: {}, items }] as unknown as PlannedWrite[],
    async (found) => {
      read.push(found);
      return new SecretValue(found, 'declared-0815');
    },
  );
  expect([read, [...secrets.keys()]]).toEqual([[reference], ['env:HOOK_TOKEN']]);
  expect(items.map(needsLiveSecrets)).toEqual([false, true, false]);
});
