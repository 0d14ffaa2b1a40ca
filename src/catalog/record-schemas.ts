import * as z from 'zod/mini';
import { isObject } from '../kernel/json.ts';
import { createWhenUsed } from '../kernel/once.ts';
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
import type { ListKind } from './record-kinds.ts';
import { webhookConfig } from './webhook-config.ts';
import { webhookEndpoints } from './webhook-endpoints.ts';

/** Refuses unknown fields. Unlike `z.strictObject`, it keeps the schema's refinements. */
const strict = <Shape extends z.core.$ZodShape>(
  schema: z.ZodMiniObject<Shape, z.core.$ZodObjectConfig>,
) => z.catchall(schema, z.never()) as z.ZodMiniObject<Shape, z.core.$strict>;

const items = () =>
  z.optional(
    z.array(z.custom<Readonly<Record<string, unknown>>>(isObject, { error: 'expected an object' })),
  );

/**
 * An endpoint as the API returns it, plus `metadata` and the signing secret, which it never
 * returns.
 */
function createEndpoint() {
  const { url, description, filterTypes, channels, disabled, rateLimit, uid, metadata } =
    webhookEndpoints['webhooks.endpoints.create'].input.shape;
  return z.strictObject({
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
}

const membership = () =>
  z.strictObject({
    type: z.enum(['organization', 'folder', 'document']),
    id: id('resource ID'),
    accessRole: z.optional(accessRole),
    expiresAt: z.optional(described(z.number(), 'expiration time in Unix seconds')),
  });

/**
 * Schemas of the records in lists. Those of all kinds take 3 ms to create, and a settings file
 * declares few kinds.
 */
export const recordSchemas = createWhenUsed({
  organizations: () => z.looseObject({ organizationId, organizationName: z.optional(z.string()) }),
  folders: () =>
    z.strictObject({
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
    }),
  documents: () =>
    z.strictObject({
      organizationId,
      documentId,
      documentName: z.optional(z.string()),
      folderId: z.optional(id("folder ID, or 'root' for the top level")),
      disabled: z.optional(z.boolean()),
      accessType: z.optional(z.string()),
    }),
  /** A user without memberships is a member of the organization, with the user's `accessRole`. */
  users: () =>
    z.extend(user, {
      organizationId,
      accessRole: z.optional(accessRole),
      memberships: z.optional(z.array(membership())),
    }),
  groups: () =>
    z.looseObject({
      organizationId,
      groupId: id('group ID'),
      groupName: z.optional(z.string()),
      userIds: z.optional(z.array(id('user ID'))),
    }),
  activities: () =>
    z.looseObject({
      organizationId,
      documentId: z.optional(documentId),
      id: id('activity ID'),
    }),
  agents: () => z.looseObject({ id: id('agent ID') }),
  agentGroups: () => z.looseObject({ groupId: id('group ID'), agentIds: z.array(id('agent ID')) }),
  crdt: () =>
    strict(z.safeExtend(crdt['crdt.add'].input, { lastUpdate: z.optional(z.iso.datetime()) })),
  userData: () =>
    z.strictObject({
      organizationId,
      userId: id('user ID'),
      comments: items(),
      reactions: items(),
      recordings: items(),
      notifications: items(),
    }),
  endpoints: createEndpoint,
}) satisfies Readonly<Record<ListKind, z.ZodMiniObject>>;

/** Schemas of the configurations of webhooks, email, and permissions. */
export const configSchemas = createWhenUsed({
  webhook: () => z.strictObject(webhookConfig['webhooks.config.update'].input.shape),
  advancedWebhooks: () => z.strictObject(webhookConfig['webhooks.advanced.update'].input.shape),
  email: () => z.strictObject(email['email.update'].input.shape),
  permissionProvider: () => strict(z.partial(permissionProvider['permission-provider.get'].output)),
});
