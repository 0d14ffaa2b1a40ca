import * as z from 'zod';
import { isObject } from '../kernel/is-object.ts';
import { crdt } from './crdt.ts';
import { email } from './email.ts';
import { accessRole, documentId, epochMilliseconds, id, organizationId, secret, user } from './fields.ts';
import { permissionProvider } from './permission-provider.ts';
import { webhookConfig } from './webhook-config.ts';
import { webhookEndpoints } from './webhook-endpoints.ts';

/** A list of the state; one that is left out is empty. */
const list = <Record extends z.ZodType>(record: Record) => z.array(record).default([]);

/** A record whose field the interface calls by another name too, which is understood as well. */
const alias = <Record extends z.ZodType>(other: string, field: string, record: Record) =>
  z.preprocess((value) => {
    if (typeof value !== 'object' || value === null || !(other in value) || field in value) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name === other ? field : name, inner]));
  }, record);

/** What the interface leaves open: any object, kept as it is. */
const item = z.custom<Readonly<Record<string, unknown>>>(isObject, { error: 'expected an object of fields' });

const folder = z.strictObject({
  organizationId,
  folderId: id('folder id'),
  folderName: z.string().optional(),
  parentFolderId: id('parent folder').optional(),
  accessType: z.string().optional(),
  inheritAccessFromParent: z.boolean().optional(),
  createdAt: epochMilliseconds.optional(),
  lastUpdated: epochMilliseconds.optional(),
  /** Reads tell them; here they follow from the parent, and from whose state it is. */
  ancestors: z.array(z.string()).optional(),
  apiKey: z.string().optional(),
});

const document = z.strictObject({
  organizationId,
  documentId,
  documentName: z.string().optional(),
  folderId: id("its folder; 'root' for the top level").optional(),
  disabled: z.boolean().optional(),
  accessType: z.string().optional(),
});

/** Where a user has access: an access resource entry of the user's own organization. */
const membership = z.strictObject({
  type: z.enum(['organization', 'folder', 'document']),
  id: id('id of the resource'),
  accessRole: accessRole.optional(),
  expiresAt: z.number().optional(),
});

const group = z.looseObject({
  organizationId,
  groupId: id('group id'),
  groupName: z.string().optional(),
  userIds: z.array(id('user id')).optional(),
});

const agentGroup = z.looseObject({ groupId: id('group id'), agentIds: z.array(id('agent id')) });

/** What concerns a user. A list that is left out stays as it is. */
const userData = z.strictObject({
  organizationId,
  userId: id('user id'),
  comments: z.array(item).optional(),
  reactions: z.array(item).optional(),
  recordings: z.array(item).optional(),
  notifications: z.array(item).optional(),
});

const { url, description, filterTypes, channels, disabled, rateLimit, uid, metadata } =
  webhookEndpoints['webhooks.endpoints.create'].input.shape;

/** As the interface returns it, with what it never returns: `metadata` and the signing secret. */
const endpoint = z.strictObject({
  id: id('endpoint id').optional(),
  url,
  description: description.nullable(),
  filterTypes: filterTypes.nullable(),
  channels: channels.nullable(),
  disabled,
  rateLimit: rateLimit.nullable(),
  uid: uid.nullable(),
  metadata,
  secret: secret('signing secret').optional(),
  createdAt: z.iso.datetime().optional(),
  updatedAt: z.iso.datetime().optional(),
});

/** The configuration of each service that was ever configured. */
export const configSchema = z
  .strictObject({
    webhook: z.strictObject(webhookConfig['webhooks.config.update'].input.shape),
    advancedWebhooks: z.strictObject(webhookConfig['webhooks.advanced.update'].input.shape),
    email: z.strictObject(email['email.update'].input.shape),
    permissionProvider: permissionProvider['permission-provider.get'].output.partial().strict(),
  })
  .partial();

/**
 * Everything that the embedded service keeps, as one document of records with the interface's own field names: what
 * `svc local export` writes and `svc local import` reads.
 */
export const stateSchema = z.strictObject({
  organizations: list(z.looseObject({ organizationId, organizationName: z.string().optional() })),
  folders: list(folder),
  documents: list(alias('id', 'documentId', document)),
  /** A user without memberships belongs to the organization. */
  users: list(user.extend({ organizationId, memberships: z.array(membership).optional() })),
  groups: list(alias('organizationUserGroupId', 'groupId', group)),
  activities: list(z.looseObject({ organizationId, documentId: documentId.optional(), id: id('activity id') })),
  agents: list(z.looseObject({ id: id('agent id') })),
  agentGroups: list(alias('id', 'groupId', agentGroup)),
  crdt: list(crdt['crdt.add'].input.safeExtend({ lastUpdate: z.iso.datetime().optional() }).strict()),
  userData: list(userData),
  endpoints: list(endpoint),
  config: configSchema.default({}),
});

export type State = z.output<typeof stateSchema>;
export type StateKind = keyof State;

/** The fields that tell the records of a list apart. */
export const IDENTITIES = {
  organizations: ['organizationId'],
  folders: ['organizationId', 'folderId'],
  documents: ['organizationId', 'documentId'],
  users: ['organizationId', 'userId'],
  groups: ['organizationId', 'groupId'],
  activities: ['organizationId', 'id'],
  agents: ['id'],
  agentGroups: ['groupId'],
  crdt: ['organizationId', 'documentId', 'editorId', 'contentKey'],
  userData: ['organizationId', 'userId'],
  endpoints: ['id'],
} as const satisfies Readonly<Record<Exclude<StateKind, 'config'>, readonly string[]>>;
