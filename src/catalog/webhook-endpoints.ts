import * as z from 'zod/mini';
import { quoteId } from '../kernel/id-text.ts';
import { defineOperation, type InputProblem } from './define.ts';
import { flag, httpUrl, id, requireChange, secret } from './fields.ts';
import { described } from './metadata.ts';
import { SAMPLE_URL } from './sample-data.ts';

export const MAX_ENDPOINTS = 250;

const endpoint = z.looseObject({
  id: z.string(),
  url: z.string(),
  description: z.nullish(z.string()),
  filterTypes: z.nullish(z.array(z.string())),
  channels: z.nullish(z.array(z.string())),
  disabled: z.boolean(),
  rateLimit: z.nullish(z.number()),
  uid: z.nullish(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
});

const SLUG = /^[A-Za-z0-9._-]+$/;
const SLUG_ERROR = 'only letters, digits, ., _ and - are allowed';

const slug = (maxLength: number, description: string) =>
  described(
    z.string().check(z.regex(SLUG, { error: SLUG_ERROR }), z.maxLength(maxLength)),
    description,
  );

/**
 * The schema of the custom ID of an endpoint. A single pattern contains all rules, because some
 * readers of JSON Schema do not support several.
 * @param explain describes a custom ID that does not start with `ep_`, but does not match either
 */
export const customId = (pattern: RegExp, explain: (uid: string) => string) =>
  described(
    z.string().check(
      z.regex(pattern, {
        error: ({ input }) =>
          String(input).startsWith('ep_') ? 'must not start with ep_' : explain(String(input)),
      }),
      z.maxLength(256),
    ),
    'custom ID of the endpoint',
  );

const settings = {
  description: described(z.optional(z.string()), 'description of the endpoint'),
  filterTypes: described(
    z.optional(z.array(slug(256, 'event type')).check(z.minLength(1))),
    'event type to receive (default: all)',
  ),
  channels: described(
    z.optional(z.array(slug(128, 'channel')).check(z.minLength(1), z.maxLength(10))),
    'channel to receive (default: all)',
  ),
  disabled: described(z.optional(z.boolean()), 'stop deliveries to the endpoint'),
  rateLimit: described(
    z.optional(z.int().check(z.gte(1), z.lte(65_535))),
    'rate limit (deliveries per second)',
  ),
  metadata: described(
    z.optional(z.record(z.string(), z.string())),
    'metadata stored with the endpoint and never returned',
  ),
};

const endpointId = id('endpoint ID or uid');
const eventTypes = ({ filterTypes = [] }: { filterTypes?: readonly string[] | undefined }) =>
  filterTypes;

const describeUrlRejection = ({ path: [field] }: InputProblem) =>
  field === 'url' ? 'url must be a valid http(s) URL.' : undefined;

const listLookup = { operation: 'webhooks.endpoints.list', inputFields: {} };
const shared = { auth: 'key', feature: 'advanced-webhooks' } as const;

const SAMPLE_SETTINGS = {
  url: SAMPLE_URL,
  description: 'new comments',
  filterTypes: ['comment.add'],
  channels: ['c1'],
  disabled: false,
  rateLimit: 5,
  metadata: { team: 'a' },
};

export const webhookEndpoints = {
  'webhooks.endpoints.list': defineOperation('webhooks.endpoints.list', {
    ...shared,
    summary: 'List webhook endpoints, newest first',
    examples: { 'svc webhooks endpoints list --all': 'list all endpoints' },
    path: '/v2/workspace/advancedwebhook/endpoints/get',
    effect: 'read',
    input: z.object({
      limit: flag(
        'page-size',
        described(
          z.optional(z.int().check(z.gte(1), z.lte(MAX_ENDPOINTS))),
          'endpoints per page (default: 50)',
        ),
      ),
      iterator: described(z.optional(z.string()), 'iterator from a previous response'),
    }),
    output: z.looseObject({
      endpoints: z.array(endpoint),
      iterator: z.nullish(z.string()),
      prevIterator: z.nullish(z.string()),
      done: z.boolean(),
    }),
    message: 'Advanced webhook endpoints retrieved successfully.',
    records: 'endpoints',
    columns: [
      { header: 'ID', field: 'id', kind: 'whole' },
      { header: 'UID', field: 'uid', hideOrder: 4, isOptional: true },
      { header: 'URL', field: 'url', kind: 'whole' },
      { header: 'EVENTS', field: 'filterTypes', hideOrder: 5 },
      { header: 'DISABLED', field: 'disabled', hideOrder: 3 },
      { header: 'RATE', field: 'rateLimit', hideOrder: 1 },
      { header: 'UPDATED', field: 'updatedAt', kind: 'time', hideOrder: 2 },
    ],
    addedBy: 'webhooks.endpoints.create',
    pages: {
      cursorIn: 'iterator',
      cursorOut: (_, data) => (data?.done ? undefined : data?.iterator),
      hasMore: ({ done, iterator }) => done === false || (!done && iterator !== undefined),
    },
    decision: 'endpoints need advanced webhooks; a used uid is ALREADY_EXISTS',
    settings: 'read',
    sample: () => ({ limit: 10, iterator: '' }),
  }),
  'webhooks.endpoints.create': defineOperation('webhooks.endpoints.create', {
    ...shared,
    summary: 'Create a webhook endpoint',
    description: 'The service generates a signing secret; svc webhooks endpoints secret prints it.',
    examples: {
      'svc webhooks endpoints create --url https://example.com/hook --filter-type comment.add':
        'create an endpoint for new comments',
    },
    path: '/v2/workspace/advancedwebhook/endpoints/create',
    effect: 'keyed',
    input: z.object({
      url: httpUrl('endpoint URL'),
      ...settings,
      uid: z.optional(customId(/^(?!ep_)[A-Za-z0-9._-]+$/, () => SLUG_ERROR)),
    }),
    output: endpoint,
    message: 'Advanced webhook endpoint created successfully.',
    lookup: {
      ...listLookup,
      created: {
        list: 'endpoints',
        idField: 'uid',
        matchingFields: ['url'],
        absenceMeansNotApplied: true,
        data: (record) => record,
      },
    },
    rejectionMessage: describeUrlRejection,
    generatedId: 'uid',
    eventTypes,
    decision: 'endpoints need advanced webhooks; a used uid is ALREADY_EXISTS',
    settings: { writes: 'endpoints' },
    sample: () => ({ ...SAMPLE_SETTINGS, uid: 'mine' }),
  }),
  'webhooks.endpoints.update': defineOperation('webhooks.endpoints.update', {
    ...shared,
    summary: 'Update a webhook endpoint',
    description: 'The ID and the signing secret are unchanged.',
    examples: { 'svc webhooks endpoints update ep_1 --disabled': 'stop deliveries to an endpoint' },
    argument: { field: 'endpointId' },
    path: '/v2/workspace/advancedwebhook/endpoints/update',
    effect: 'set',
    input: requireChange(
      z.object({ endpointId, url: z.optional(httpUrl('endpoint URL')), ...settings }),
      ['endpointId'],
    ),
    output: endpoint,
    message: 'Advanced webhook endpoint updated successfully.',
    lookup: listLookup,
    rejectionMessage: (problem) =>
      problem.path.length === 0
        ? 'At least one endpoint field besides endpointId must be provided.'
        : describeUrlRejection(problem),
    eventTypes,
    decision: 'omitted fields are unchanged, and the uid cannot be changed',
    isDocumented: false,
    settings: { writes: 'endpoints' },
    sample: () => ({ endpointId: 'ep_1', ...SAMPLE_SETTINGS }),
  }),
  'webhooks.endpoints.delete': defineOperation('webhooks.endpoints.delete', {
    ...shared,
    summary: 'Delete webhook endpoints and their signing secrets',
    argument: { field: 'endpointId', many: true },
    path: '/v2/workspace/advancedwebhook/endpoints/delete',
    effect: 'delete',
    input: z.object({ endpointId }),
    output: z.looseObject({ endpointId: z.string(), deleted: z.boolean() }),
    message: 'Advanced webhook endpoint deleted successfully.',
    lookup: listLookup,
    confirm: ({ endpointId }) =>
      `Delete endpoint ${quoteId(endpointId)}? Deliveries stop immediately, and the signing secret is permanently lost.`,
    decision: 'endpoints need advanced webhooks; a used uid is ALREADY_EXISTS',
    settings: { writes: 'endpoints' },
    sample: () => ({ endpointId: 'ep_1' }),
  }),
  'webhooks.endpoints.secret': defineOperation('webhooks.endpoints.secret', {
    ...shared,
    summary: 'Print the signing secret of a webhook endpoint',
    examples: { 'svc webhooks endpoints secret ep_1 -q': 'print only the secret' },
    argument: { field: 'endpointId' },
    path: '/v2/workspace/advancedwebhook/endpoints/secret/get',
    effect: 'read',
    input: z.object({ endpointId }),
    output: z.looseObject({ endpointId: z.string(), secret: secret('signing secret') }),
    message: 'Advanced webhook endpoint secret retrieved successfully.',
    revealsSecrets: true,
    quietValue: ({ secret }) => secret,
    decision: 'the service returns the signing secret in clear',
    isDocumented: false,
    settings: 'read',
    sample: () => ({ endpointId: 'ep_1' }),
  }),
};
