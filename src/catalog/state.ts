import * as z from 'zod';
import { isObject } from '../kernel/json.ts';
import { crdt } from './crdt.ts';
import { email } from './email.ts';
import {
  accessRole,
  documentId,
  epochMilliseconds,
  id,
  organizationId,
  secret,
  user,
} from './fields.ts';
import { permissionProvider } from './permission-provider.ts';
import { type ListKind, RECORD_KINDS } from './record-kinds.ts';
import { webhookConfig } from './webhook-config.ts';
import { webhookEndpoints } from './webhook-endpoints.ts';

const list = <Record extends z.ZodType>(record: Record) => z.array(record).default([]);

/** A record in which one field has an alternative name: the API uses both names. */
const aliased = <Record extends z.ZodType>(
  [other, field]: readonly [string, string],
  record: Record,
) =>
  z.preprocess((value) => {
    if (typeof value !== 'object' || value === null || !(other in value) || field in value)
      return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name === other ? field : name, inner]),
    );
  }, record);

const item = z.custom<Readonly<Record<string, unknown>>>(isObject, { error: 'expected an object' });

const folder = z.strictObject({
  organizationId,
  folderId: id('folder ID'),
  folderName: z.string().optional(),
  parentFolderId: id('parent folder ID').optional(),
  accessType: z.string().optional(),
  inheritAccessFromParent: z.boolean().optional(),
  createdAt: epochMilliseconds.optional(),
  lastUpdated: epochMilliseconds.optional(),
  /** Accepted because responses contain these fields, but ignored because they can be derived. */
  ancestors: z.array(z.string()).optional(),
  apiKey: z.string().optional(),
});

const document = z.strictObject({
  organizationId,
  documentId,
  documentName: z.string().optional(),
  folderId: id("folder ID, or 'root' for the top level").optional(),
  disabled: z.boolean().optional(),
  accessType: z.string().optional(),
});

const membership = z.strictObject({
  type: z.enum(['organization', 'folder', 'document']),
  id: id('resource ID'),
  accessRole: accessRole.optional(),
  expiresAt: z.number().optional(),
});

const group = z.looseObject({
  organizationId,
  groupId: id('group ID'),
  groupName: z.string().optional(),
  userIds: z.array(id('user ID')).optional(),
});

const agentGroup = z.looseObject({ groupId: id('group ID'), agentIds: z.array(id('agent ID')) });

const userData = z.strictObject({
  organizationId,
  userId: id('user ID'),
  comments: z.array(item).optional(),
  reactions: z.array(item).optional(),
  recordings: z.array(item).optional(),
  notifications: z.array(item).optional(),
});

const { url, description, filterTypes, channels, disabled, rateLimit, uid, metadata } =
  webhookEndpoints['webhooks.endpoints.create'].input.shape;

/**
 * An endpoint as the API returns it, plus `metadata` and the signing secret, which it never
 * returns.
 */
const endpoint = z.strictObject({
  id: id('endpoint ID').optional(),
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

/**
 * The configuration of webhooks, email, and permissions. Services that were never configured are
 * absent.
 */
export const configSchema = z
  .strictObject({
    webhook: z.strictObject(webhookConfig['webhooks.config.update'].input.shape),
    advancedWebhooks: z.strictObject(webhookConfig['webhooks.advanced.update'].input.shape),
    email: z.strictObject(email['email.update'].input.shape),
    permissionProvider: permissionProvider['permission-provider.get'].output.partial().strict(),
  })
  .partial();

export const recordSchemas = {
  organizations: z.looseObject({ organizationId, organizationName: z.string().optional() }),
  folders: folder,
  documents: document,
  /** A user without memberships is a member of the organization. */
  users: user.extend({ organizationId, memberships: z.array(membership).optional() }),
  groups: group,
  activities: z.looseObject({
    organizationId,
    documentId: documentId.optional(),
    id: id('activity ID'),
  }),
  agents: z.looseObject({ id: id('agent ID') }),
  agentGroups: agentGroup,
  crdt: crdt['crdt.add'].input.safeExtend({ lastUpdate: z.iso.datetime().optional() }).strict(),
  userData,
  endpoints: endpoint,
} satisfies Readonly<Record<ListKind, z.ZodObject>>;

/** All data of the embedded service: the format of `svc local export` and `svc local import`. */
export const stateSchema = z.strictObject({
  organizations: list(recordSchemas.organizations),
  folders: list(folder),
  documents: list(aliased(RECORD_KINDS.documents.alias, document)),
  users: list(recordSchemas.users),
  groups: list(aliased(RECORD_KINDS.groups.alias, group)),
  activities: list(recordSchemas.activities),
  agents: list(recordSchemas.agents),
  agentGroups: list(aliased(RECORD_KINDS.agentGroups.alias, agentGroup)),
  crdt: list(recordSchemas.crdt),
  userData: list(userData),
  endpoints: list(endpoint),
  config: configSchema.default({}),
});

export type State = z.output<typeof stateSchema>;
