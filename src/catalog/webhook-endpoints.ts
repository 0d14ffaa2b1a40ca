import * as z from 'zod';
import { defineOperation, type Finding } from './define.ts';
import { unknownEventWarnings } from './events.ts';
import { httpUrl, id, secret, someGiven } from './fields.ts';

const endpoint = z.looseObject({
  id: z.string(),
  url: z.string(),
  description: z.string().nullish(),
  filterTypes: z.array(z.string()).nullish(),
  channels: z.array(z.string()).nullish(),
  disabled: z.boolean(),
  rateLimit: z.number().nullish(),
  uid: z.string().nullish(),
  createdAt: z.string(),
  updatedAt: z.string(),
});

/** The alphabet of event types, channels and uids. */
const word = (most: number, describes: string) =>
  z
    .string()
    .regex(/^[A-Za-z0-9._-]+$/, { error: 'only letters, digits, ., _ and - are allowed' })
    .max(most)
    .describe(describes);

const settings = {
  description: z.string().optional().describe('what the endpoint is for'),
  filterTypes: z.array(word(256, 'event type')).min(1).optional().describe('event type to receive; all when left out'),
  channels: z.array(word(128, 'channel')).min(1).max(10).optional().describe('channel to receive; all when left out'),
  disabled: z.boolean().optional().describe('receive nothing'),
  rateLimit: z.number().int().min(1).max(65_535).optional().describe('most deliveries a second'),
  metadata: z.record(z.string(), z.string()).optional().describe('kept with the endpoint, never returned'),
};

const endpointId = id('endpoint id');
const filterWarnings = ({ filterTypes = [] }: { filterTypes?: readonly string[] | undefined }) =>
  unknownEventWarnings(filterTypes);

const urlRefusal = ({ path: [field] }: Finding) => (field === 'url' ? 'url must be a valid http(s) URL.' : undefined);

const list = { operation: 'webhooks.endpoints.list', by: {} };

const shared = { auth: 'key', feature: 'advanced-webhooks' } as const;

export const webhookEndpoints = {
  'webhooks.endpoints.list': defineOperation({
    ...shared,
    command: ['webhooks', 'endpoints', 'list'],
    summary: 'List the endpoints of advanced webhooks, newest first',
    examples: [{ command: 'svc webhooks endpoints list --all', does: 'every endpoint' }],
    path: '/v2/workspace/advancedwebhook/endpoints/get',
    effect: 'read',
    input: z.object({
      limit: z.number().int().min(1).max(250).optional().describe('endpoints a page (50 when left out)'),
      iterator: z.string().optional().describe('go on where an earlier page ended'),
    }),
    output: z.looseObject({
      endpoints: z.array(endpoint),
      iterator: z.string().nullish(),
      prevIterator: z.string().nullish(),
      done: z.boolean(),
    }),
    message: 'Advanced webhook endpoints retrieved successfully.',
    records: 'endpoints',
    columns: [
      { header: 'ID', field: 'id', kind: 'whole' },
      { header: 'URL', field: 'url', kind: 'whole' },
      { header: 'EVENTS', field: 'filterTypes' },
      { header: 'DISABLED', field: 'disabled' },
      { header: 'RATE', field: 'rateLimit', extra: true },
      { header: 'UPDATED', field: 'updatedAt', kind: 'time', extra: true },
    ],
    addedBy: 'webhooks.endpoints.create',
    pages: {
      cursorIn: 'iterator',
      cursorOut: (_, data) => (data?.done ? undefined : data?.iterator),
      hasMore: ({ done, iterator }) => done === false || (!done && iterator !== undefined),
    },
  }),
  'webhooks.endpoints.create': defineOperation({
    ...shared,
    command: ['webhooks', 'endpoints', 'create'],
    summary: 'Create an endpoint that receives deliveries',
    description: 'Its signing secret is made by the service: see svc webhooks endpoints secret.',
    examples: [
      { command: 'svc webhooks endpoints create --url https://example.com/hook', does: 'receive every event' },
      {
        command: 'svc webhooks endpoints create --url https://example.com/hook --filter-type comment.add',
        does: 'only new comments',
      },
    ],
    path: '/v2/workspace/advancedwebhook/endpoints/create',
    effect: 'keyed',
    input: z.object({
      url: httpUrl('where deliveries go'),
      ...settings,
      uid: word(256, 'id of your own choice')
        .regex(/^(?!ep_)/, { error: 'may not start with ep_' })
        .optional(),
    }),
    output: endpoint,
    message: 'Advanced webhook endpoint created successfully.',
    lookup: {
      ...list,
      made: { list: 'endpoints', id: 'uid', same: ['url'], absenceTells: true, data: (record) => record },
    },
    refusal: urlRefusal,
    mints: 'uid',
    warnings: filterWarnings,
  }),
  'webhooks.endpoints.update': defineOperation({
    ...shared,
    command: ['webhooks', 'endpoints', 'update'],
    summary: 'Change an endpoint; its id and secret stay',
    examples: [{ command: 'svc webhooks endpoints update ep_1 --disabled', does: 'stop its deliveries' }],
    argument: { field: 'endpointId' },
    path: '/v2/workspace/advancedwebhook/endpoints/update',
    effect: 'set',
    input: someGiven(z.object({ endpointId, url: httpUrl('where deliveries go').optional(), ...settings }), [
      'endpointId',
    ]),
    output: endpoint,
    message: 'Advanced webhook endpoint updated successfully.',
    lookup: list,
    refusal: urlRefusal,
    warnings: filterWarnings,
  }),
  'webhooks.endpoints.delete': defineOperation({
    ...shared,
    command: ['webhooks', 'endpoints', 'delete'],
    summary: 'Delete endpoints and their signing secrets for good',
    examples: [{ command: 'svc webhooks endpoints delete ep_1 --yes', does: 'without being asked' }],
    argument: { field: 'endpointId', many: true },
    path: '/v2/workspace/advancedwebhook/endpoints/delete',
    effect: 'delete',
    input: z.object({ endpointId }),
    output: z.looseObject({ endpointId: z.string(), deleted: z.boolean() }),
    message: 'Advanced webhook endpoint deleted successfully.',
    lookup: list,
    confirm: ({ endpointId }) =>
      `Delete endpoint ${endpointId}? Its deliveries stop at once, and its signing secret is gone for good.`,
  }),
  'webhooks.endpoints.secret': defineOperation({
    ...shared,
    command: ['webhooks', 'endpoints', 'secret'],
    summary: 'Print the signing secret of an endpoint',
    examples: [{ command: 'svc webhooks endpoints secret ep_1 -q', does: 'print the bare secret' }],
    argument: { field: 'endpointId' },
    path: '/v2/workspace/advancedwebhook/endpoints/secret/get',
    effect: 'read',
    input: z.object({ endpointId }),
    output: z.looseObject({ endpointId: z.string(), secret: secret('signing secret') }),
    message: 'Advanced webhook endpoint secret retrieved successfully.',
    revealsSecrets: true,
    bare: ({ secret }) => secret,
  }),
};
