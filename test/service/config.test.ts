import { describe, expect, it } from 'vitest';
import { addSecondKey, startTestService, success } from './test-service.ts';

const refused = (status: string, message: string, http = 400) => ({
  http,
  body: { error: { status, message } },
});

const WEBHOOKS = '/v2/workspace/webhookconfig';
const UNSET_WEBHOOKS = { authToken: '', rawNotificationUrl: '', processedNotificationUrl: '' };
const ENABLED_EVENTS = [
  'comment_annotation.add',
  'comment_annotation.assign',
  'comment_annotation.status_change',
  'comment_annotation.priority_change',
  'comment_annotation.custom_list_change',
  'comment_annotation.subscribe',
  'comment_annotation.unsubscribe',
  'comment_annotation.accept',
  'comment_annotation.reject',
  'comment_annotation.approve',
  'comment.add',
  'comment.update',
  'comment.delete',
  'comment.reaction_add',
  'comment.reaction_delete',
  'huddle.create',
  'huddle.join',
];
const DISABLED_EVENTS = [
  'comment_annotation.suggestion_accept',
  'comment_annotation.suggestion_reject',
  'crdt.update_data',
  'recorder.done',
];
const toTriggers = (names: readonly string[], value: boolean) =>
  Object.fromEntries(names.map((name) => [name, value]));
const SEEDED_WEBHOOKS = {
  ...toTriggers(ENABLED_EVENTS, true),
  ...toTriggers(DISABLED_EVENTS, false),
};

describe('basic webhooks', () => {
  it('show three empty settings before the first update', async () => {
    const { call } = await startTestService();
    expect(await call(`${WEBHOOKS}/get`, {})).toEqual(
      success('Webhook configuration retrieved successfully.', {
        useWebhookService: false,
        webhookServiceConfig: UNSET_WEBHOOKS,
      }),
    );
  });

  it('add the default triggers when first enabled, with the triggers of the request taking precedence', async () => {
    const { call } = await startTestService();
    await call(`${WEBHOOKS}/update`, {
      webhookServiceConfig: { authToken: 'abc', encodeData: true },
    });
    const data = {
      useWebhookService: true,
      webhookServiceConfig: {
        authToken: 'abc',
        encodeData: true,
        rawNotificationUrl: 'https://example.com/raw',
        processedNotificationUrl: '',
        enableDataProtection: false,
        triggers: {
          ...SEEDED_WEBHOOKS,
          'comment.delete': false,
          'comment_annotation.suggestion_accept': true,
          own: true,
        },
      },
    };
    const triggers = {
      'comment.delete': false,
      'comment_annotation.suggestion_accept': true,
      own: true,
    };
    expect(
      await call(`${WEBHOOKS}/update`, {
        useWebhookService: true,
        webhookServiceConfig: { rawNotificationUrl: 'https://example.com/raw', triggers },
      }),
    ).toEqual(success('Webhook configuration updated successfully.', data));
    expect(await call(`${WEBHOOKS}/get`, {})).toEqual(
      success('Webhook configuration retrieved successfully.', data),
    );
  });

  it('add the default triggers on any enabling request, but never over stored triggers', async () => {
    const { call } = await startTestService();
    await call(`${WEBHOOKS}/update`, {
      webhookServiceConfig: { triggers: { 'comment.add': false } },
    });
    const enabled = await call(`${WEBHOOKS}/update`, { useWebhookService: true });
    expect(enabled.body.result?.data.webhookServiceConfig).toEqual({
      ...UNSET_WEBHOOKS,
      triggers: { 'comment.add': false },
    });
  });

  it('merge trigger by trigger, and keep all settings while disabled', async () => {
    const { call } = await startTestService();
    await call(`${WEBHOOKS}/update`, { useWebhookService: true });
    const off = await call(`${WEBHOOKS}/update`, {
      useWebhookService: false,
      webhookServiceConfig: { triggers: { 'huddle.join': false } },
    });
    expect(off.body.result?.data).toEqual({
      useWebhookService: false,
      webhookServiceConfig: {
        ...UNSET_WEBHOOKS,
        enableDataProtection: false,
        triggers: { ...SEEDED_WEBHOOKS, 'huddle.join': false },
      },
    });
  });

  it.each([
    {},
    { useWebhookService: 'yes' },
    { webhookServiceConfig: [] },
    { webhookServiceConfig: { rawNotificationUrl: 'ftp://example.com' } },
    { webhookServiceConfig: { triggers: { 'comment.add': 1 } } },
    { webhookServiceConfig: { enableDataProtection: 'no' } },
  ])('reject %j', async (data) => {
    const { call } = await startTestService();
    const { http, body } = await call(`${WEBHOOKS}/update`, data);
    expect([http, body.error?.message]).toEqual([400, 'Invalid webhook service configuration.']);
    expect(body.error?.details?.issues).not.toEqual([]);
    expect((await call(`${WEBHOOKS}/get`, {})).body.result?.data.useWebhookService).toBe(false);
  });

  it('belong to one API key', async () => {
    const service = await startTestService();
    await service.call(`${WEBHOOKS}/update`, { useWebhookService: true });
    const theirs = await service.call(`${WEBHOOKS}/get`, {}, await addSecondKey(service));
    expect(theirs.body.result?.data.useWebhookService).toBe(false);
  });

  it('reject an unknown API key', async () => {
    const { call } = await startTestService();
    const headers = { 'x-svc-api-key': 'no', 'x-svc-auth-token': 'no' };
    expect(await call(`${WEBHOOKS}/get`, {}, headers)).toEqual(
      refused('PERMISSION_DENIED', 'Invalid API key.', 403),
    );
  });
});

const ADVANCED = '/v2/workspace/advancedwebhookconfig';
const NEVER_CONFIGURED = {
  isEnabled: false,
  encryptData: false,
  encodeData: false,
  publicKey: '',
  enableDataProtection: false,
};

describe('advanced webhooks', () => {
  it('show defaults if they were never configured', async () => {
    const { call } = await startTestService();
    expect(await call(`${ADVANCED}/get`, {})).toEqual(
      success('Advanced webhook configuration retrieved successfully.', NEVER_CONFIGURED),
    );
  });

  it.each([{ encodeData: true }, { isEnabled: false }, { isEnabled: false, publicKey: 'x' }])(
    'stay unconfigured after %j',
    async (data) => {
      const { call } = await startTestService();
      const { http, body } = await call(`${ADVANCED}/update`, data);
      expect([http, body.error?.status]).toEqual([400, 'FAILED_PRECONDITION']);
      expect(body.error?.message).toMatch(
        /^Advanced webhooks are not configured for this workspace\. /,
      );
    },
  );

  it('keep settings that a request omits', async () => {
    const { call } = await startTestService();
    const update = `${ADVANCED}/update`;
    const message = 'Advanced webhook configuration updated successfully.';
    const first = { ...NEVER_CONFIGURED, isEnabled: true, publicKey: 'key' };
    expect(await call(update, { isEnabled: true, publicKey: 'key' })).toEqual(
      success(message, first),
    );
    const second = { ...first, isEnabled: false, encryptData: true };
    expect(await call(update, { isEnabled: false, encryptData: true })).toEqual(
      success(message, second),
    );
    expect((await call(`${ADVANCED}/get`, {})).body.result?.data).toEqual(second);
  });

  it.each([{}, { isEnabled: 'true' }, { isEnabled: true, publicKey: 7 }])(
    'reject %j',
    async (data) => {
      const { call } = await startTestService();
      expect((await call(`${ADVANCED}/update`, data)).body.error?.status).toBe('INVALID_ARGUMENT');
    },
  );
});

const EMAIL = '/v2/workspace/emailconfig';
const UNSET_EMAIL = { type: 'default', apiKey: '', fromEmail: '', fromCompany: '' };
const SEEDED_EMAIL = toTriggers(
  [
    'comment_annotation.add',
    'comment.add',
    'comment_annotation.status_change',
    'comment_annotation.assign',
    'comment_annotation.priority_change',
    'huddle.create',
    'huddle.join',
  ],
  true,
);

describe('email', () => {
  it('shows empty settings before the first update', async () => {
    const { call } = await startTestService();
    expect(await call(`${EMAIL}/get`, {})).toEqual(
      success('Email configuration retrieved successfully.', {
        useEmailService: false,
        emailServiceConfig: UNSET_EMAIL,
      }),
    );
  });

  const enabled = (settings: object, useEmailService = true) => ({
    useEmailService,
    emailServiceConfig: { ...UNSET_EMAIL, type: 'custom', triggers: SEEDED_EMAIL, ...settings },
  });

  it.each([
    ['enabled', { useEmailService: true }, enabled({})],
    ['changed to custom', { emailServiceConfig: { type: 'custom' } }, enabled({})],
    [
      'made custom, but kept off',
      { useEmailService: false, emailServiceConfig: { type: 'custom' } },
      enabled({}, false),
    ],
    [
      'enabled with its own type and trigger',
      {
        useEmailService: true,
        emailServiceConfig: { type: 'extprovider', triggers: { 'comment.add': false } },
      },
      enabled({ type: 'extprovider', triggers: { ...SEEDED_EMAIL, 'comment.add': false } }),
    ],
  ])('adds its default triggers when %s', async (_, request, data) => {
    const { call } = await startTestService();
    expect(await call(`${EMAIL}/update`, request)).toEqual(
      success('Email configuration updated successfully.', data),
    );
    expect((await call(`${EMAIL}/get`, {})).body.result?.data).toEqual(data);
  });

  it('keeps stored settings, and adds the default triggers only once', async () => {
    const { call } = await startTestService();
    await call(`${EMAIL}/update`, { emailServiceConfig: { apiKey: 'k', fromEmail: 'a@b.c' } });
    await call(`${EMAIL}/update`, { useEmailService: true });
    await call(`${EMAIL}/update`, {
      useEmailService: false,
      emailServiceConfig: { type: 'default' },
    });
    const again = await call(`${EMAIL}/update`, {
      useEmailService: true,
      emailServiceConfig: { triggers: { 'comment.add': false } },
    });
    expect(again.body.result?.data).toEqual(
      enabled({
        apiKey: 'k',
        fromEmail: 'a@b.c',
        type: 'default',
        triggers: { ...SEEDED_EMAIL, 'comment.add': false },
      }),
    );
  });

  it.each([
    {},
    { useEmailService: 1 },
    { emailServiceConfig: { type: 'carrier pigeon' } },
    { emailServiceConfig: { type: 'Custom' } },
    { emailServiceConfig: { type: '' } },
    { emailServiceConfig: { triggers: { 'comment.add': 'on' } } },
    { emailServiceConfig: null },
  ])('rejects %j', async (data) => {
    const { call } = await startTestService();
    const { body } = await call(`${EMAIL}/update`, data);
    expect([body.error?.status, body.error?.message]).toEqual([
      'INVALID_ARGUMENT',
      'Invalid email service configuration.',
    ]);
  });
});

describe('the permission provider', () => {
  const PROVIDER = '/v2/workspace/permissionproviderconfig';
  const get = (data: object) =>
    success('Permission provider configuration retrieved successfully.', data);

  it('is merged field by field', async () => {
    const { call } = await startTestService();
    const unset = { permissionProviderUrl: '', authToken: '' };
    expect(await call(`${PROVIDER}/get`, {})).toEqual(
      get({ usePermissionProvider: false, permissionProviderConfig: unset }),
    );
    await call(`${PROVIDER}/update`, { permissionProviderConfig: { authToken: 't' } });
    const data = {
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl: 'https://example.com/p', authToken: 't' },
    };
    const { permissionProviderUrl } = data.permissionProviderConfig;
    expect(
      await call(`${PROVIDER}/update`, {
        usePermissionProvider: true,
        permissionProviderConfig: { permissionProviderUrl },
      }),
    ).toEqual(success('Permission provider configuration updated successfully.', data));
    expect(await call(`${PROVIDER}/get`, {})).toEqual(get(data));
  });

  it.each([
    {},
    { usePermissionProvider: 'x' },
    { permissionProviderConfig: { permissionProviderUrl: 'here' } },
  ])('rejects %j', async (data) => {
    const { call } = await startTestService();
    expect((await call(`${PROVIDER}/update`, data)).body.error?.status).toBe('INVALID_ARGUMENT');
  });
});
