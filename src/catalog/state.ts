import * as z from 'zod/mini';
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
import { described } from './metadata.ts';
import { permissionProvider } from './permission-provider.ts';
import { type ListKind, RECORD_KINDS } from './record-kinds.ts';
import { webhookConfig } from './webhook-config.ts';
import { webhookEndpoints } from './webhook-endpoints.ts';

const list = <Record extends z.ZodMiniType>(record: Record) => z._default(z.array(record), []);

/** Refuses unknown fields. Unlike `z.strictObject`, it keeps the schema's refinements. */
const strict = <Shape extends z.core.$ZodShape>(
  schema: z.ZodMiniObject<Shape, z.core.$ZodObjectConfig>,
) => z.catchall(schema, z.never()) as z.ZodMiniObject<Shape, z.core.$strict>;

/** A record in which one field has an alternative name: the API uses both names. */
const aliased = <Record extends z.ZodMiniType>(
  [other, field]: readonly [string, string],
  record: Record,
) =>
  z.pipe(
    z.transform((value) => {
      if (typeof value !== 'object' || value === null || !(other in value) || field in value)
        return value;
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name === other ? field : name, inner]),
      );
    }),
    record,
  );

const item = z.custom<Readonly<Record<string, unknown>>>(isObject, { error: 'expected an object' });

const folder = z.strictObject({
  organizationId,
  folderId: id('folder ID'),
  folderName: z.optional(z.string()),
  parentFolderId: z.optional(id('parent folder ID')),
  accessType: z.optional(z.string()),
  inheritAccessFromParent: z.optional(z.boolean()),
  createdAt: z.optional(epochMilliseconds),
  lastUpdated: z.optional(epochMilliseconds),
  /** Accepted because responses contain these fields, but ignored because they can be derived. */
  ancestors: z.optional(z.array(z.string())),
  apiKey: z.optional(z.string()),
});

const document = z.strictObject({
  organizationId,
  documentId,
  documentName: z.optional(z.string()),
  folderId: z.optional(id("folder ID, or 'root' for the top level")),
  disabled: z.optional(z.boolean()),
  accessType: z.optional(z.string()),
});

const membership = z.strictObject({
  type: z.enum(['organization', 'folder', 'document']),
  id: id('resource ID'),
  accessRole: z.optional(accessRole),
  expiresAt: z.optional(described(z.number(), 'expiration time in Unix seconds')),
});

const group = z.looseObject({
  organizationId,
  groupId: id('group ID'),
  groupName: z.optional(z.string()),
  userIds: z.optional(z.array(id('user ID'))),
});

const agentGroup = z.looseObject({ groupId: id('group ID'), agentIds: z.array(id('agent ID')) });

const userData = z.strictObject({
  organizationId,
  userId: id('user ID'),
  comments: z.optional(z.array(item)),
  reactions: z.optional(z.array(item)),
  recordings: z.optional(z.array(item)),
  notifications: z.optional(z.array(item)),
});

const { url, description, filterTypes, channels, disabled, rateLimit, uid, metadata } =
  webhookEndpoints['webhooks.endpoints.create'].input.shape;

/**
 * An endpoint as the API returns it, plus `metadata` and the signing secret, which it never
 * returns.
 */
const endpoint = z.strictObject({
  id: z.optional(id('endpoint ID')),
  url,
  description: z.nullable(description),
  filterTypes: z.nullable(filterTypes),
  channels: z.nullable(channels),
  disabled,
  rateLimit: z.nullable(rateLimit),
  uid: z.nullable(uid),
  metadata,
  secret: z.optional(secret('signing secret')),
  createdAt: z.optional(z.iso.datetime()),
  updatedAt: z.optional(z.iso.datetime()),
});

/**
 * The configuration of webhooks, email, and permissions. Services that were never configured are
 * absent.
 */
export const configSchema = z.partial(
  z.strictObject({
    webhook: z.strictObject(webhookConfig['webhooks.config.update'].input.shape),
    advancedWebhooks: z.strictObject(webhookConfig['webhooks.advanced.update'].input.shape),
    email: z.strictObject(email['email.update'].input.shape),
    permissionProvider: strict(z.partial(permissionProvider['permission-provider.get'].output)),
  }),
);

export const recordSchemas = {
  organizations: z.looseObject({ organizationId, organizationName: z.optional(z.string()) }),
  folders: folder,
  documents: document,
  /** A user without memberships is a member of the organization, with the user's `accessRole`. */
  users: z.extend(user, {
    organizationId,
    accessRole: z.optional(accessRole),
    memberships: z.optional(z.array(membership)),
  }),
  groups: group,
  activities: z.looseObject({
    organizationId,
    documentId: z.optional(documentId),
    id: id('activity ID'),
  }),
  agents: z.looseObject({ id: id('agent ID') }),
  agentGroups: agentGroup,
  crdt: strict(z.safeExtend(crdt['crdt.add'].input, { lastUpdate: z.optional(z.iso.datetime()) })),
  userData,
  endpoints: endpoint,
} satisfies Readonly<Record<ListKind, z.ZodMiniObject>>;

/** Records of the embedded service: the format of `svc local export` and `svc local import`. */
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
  config: z._default(configSchema, {}),
});

/** The part of a state that determines who has access. */
export const membersSchema = z.pick(stateSchema, {
  organizations: true,
  folders: true,
  documents: true,
  users: true,
});

export type State = z.output<typeof stateSchema>;
