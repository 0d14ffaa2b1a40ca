import * as z from 'zod/mini';
import { createWhenUsed } from '../kernel/once.ts';
import { email } from './email.ts';
import { id, withRules } from './fields.ts';
import { described, withMetadata } from './metadata.ts';
import { permissionProvider } from './permission-provider.ts';
import { RECORD_KINDS } from './record-kinds.ts';
import { recordSchemas } from './record-schemas.ts';
import { webhookConfig } from './webhook-config.ts';
import { customId } from './webhook-endpoints.ts';

export const LITERAL_SECRET =
  'expected { env: NAME } or { file: path }; a settings file never contains secrets';

const secretReference = withMetadata(
  z.union(
    [
      z.strictObject({
        env: described(
          z.string().check(z.minLength(1)),
          'environment variable that contains the secret',
        ),
      }),
      z.strictObject({
        file: described(
          z.string().check(z.minLength(1)),
          'file that contains the secret, relative to this file',
        ),
      }),
    ],
    { error: LITERAL_SECRET },
  ),
  { secret: true },
);

const reference = (describes: string) =>
  z.optional(withMetadata(secretReference, { description: describes }));
const withReference = <Shape extends z.core.$ZodShape>(
  nested: z.ZodMiniOptional<z.ZodMiniObject<Shape>>,
  secret: string,
  describes: string,
) => z.optional(z.strictObject({ ...nested.def.innerType.shape, [secret]: reference(describes) }));

function createConfig() {
  const webhook = webhookConfig['webhooks.config.update'].input.shape;
  const emailShape = email['email.update'].input.shape;
  const provider = permissionProvider['permission-provider.update'].input.shape;
  return z.partial(
    z.strictObject({
      webhook: described(
        z.strictObject({
          ...webhook,
          webhookServiceConfig: withReference(
            webhook.webhookServiceConfig,
            'authToken',
            'token sent with each delivery',
          ),
        }),
        'basic webhooks',
      ),
      advancedWebhooks: described(
        z.strictObject(webhookConfig['webhooks.advanced.update'].input.shape),
        'advanced webhooks',
      ),
      email: described(
        z.strictObject({
          ...emailShape,
          emailServiceConfig: withReference(
            emailShape.emailServiceConfig,
            'apiKey',
            'API key of the email provider',
          ),
        }),
        'email',
      ),
      permissionProvider: described(
        z.strictObject({
          ...provider,
          permissionProviderConfig: withReference(
            provider.permissionProviderConfig,
            'authToken',
            'token sent to the provider',
          ),
        }),
        'permission provider',
      ),
    }),
  );
}

/**
 * Ownership is exact: a stack owns the endpoints with a uid of its name, a dot, and a name without
 * dots.
 */
const uid = () => customId(/^(?!ep_)[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)?$/, explainUid);

function explainUid(uid: string): string {
  if (/[^A-Za-z0-9._-]/.test(uid)) return 'only letters, digits, ., _ and - are allowed';
  const parts = uid.split('.').filter((part) => part !== '');
  const format = 'expected <stack>.<name> or <name>, without other dots';
  const renamed = [parts.slice(0, -1).join('-'), ...parts.slice(-1)].filter(Boolean).join('.');
  return renamed === ''
    ? format
    : `${format}; rename it to '${renamed}', or declare an existing endpoint by its id without a uid`;
}

const endpoint = () =>
  z.extend(recordSchemas.endpoints, {
    uid: z.optional(z.nullable(uid())),
    secret: reference('signing secret, for svc local import'),
  });

const usersFile = () =>
  z.strictObject({
    from: described(
      z.string().check(z.minLength(1)),
      'CSV, JSON, NDJSON, or YAML file of users, relative to this file',
    ),
  });

const list = <Record extends z.ZodMiniType>(describes: string, record: Record) =>
  described(z.optional(z.array(record)), describes);
const text = z.string().check(z.minLength(1));

const stack = described(
  z.optional(
    text.check(z.regex(/^[A-Za-z0-9_-]+$/, { error: ({ input }) => explainStack(String(input)) })),
  ),
  "owner of the endpoints: svc deletes only endpoints whose uid is this name, '.', and a name without dots",
);

function explainStack(stack: string): string {
  const renamed = stack.replaceAll('.', '-').replace(/^-+|-+$/g, '');
  const isRenamed = stack.includes('.') && /^[A-Za-z0-9_-]+$/.test(renamed);
  const rule = 'only letters, digits, _ and - are allowed';
  return isRenamed ? `${rule}; rename it to '${renamed}'` : rule;
}

const variables = described(
  z.optional(
    z.record(
      z.string().check(
        z.regex(/^[A-Za-z_][\w.-]*$/, {
          error: 'a name starts with a letter, then letters, digits, ., _ and -',
        }),
      ),
      z.union([z.string(), z.number(), z.boolean()]),
    ),
  ),
  `values for "\${name}" in the texts of this file`,
);

type IdentifiedKind = 'organizations' | 'folders' | 'documents' | 'groups' | 'users';

/** @param adapt changes the schema of a record that IDs identify */
const settingsOf = (
  adapt: <Record extends z.ZodMiniObject>(record: Record, kind: IdentifiedKind) => Record,
) => ({
  stack: () => stack,
  vars: () => variables,
  organizations: () => list('organizations', adapt(recordSchemas.organizations, 'organizations')),
  folders: () => list('folders', adapt(z.omit(recordSchemas.folders, { apiKey: true }), 'folders')),
  documents: () => list('documents', adapt(recordSchemas.documents, 'documents')),
  groups: () => list('user groups', adapt(recordSchemas.groups, 'groups')),
  users: () =>
    described(
      z.optional(z.union([z.array(adapt(recordSchemas.users, 'users')), usersFile()])),
      'users, or a file of users',
    ),
  agents: () => list('agents, which svc compares but cannot change', recordSchemas.agents),
  config: () => described(z.optional(createConfig()), 'configurations of the workspace'),
  endpoints: () => list('webhook endpoints', z.partial(endpoint())),
  activities: () => list('activities, for svc local import', recordSchemas.activities),
  agentGroups: () => list('groups of agents, for svc local import', recordSchemas.agentGroups),
  crdt: () => list('editor contents, for svc local import', recordSchemas.crdt),
  userData: () =>
    list('comments and other data of users, for svc local import', recordSchemas.userData),
});

/** Values that one environment changes. Records are matched by ID and may omit other fields. */
function createOverlay() {
  const withOnlyIds = settingsOf((record, kind) => {
    const ids = Object.fromEntries(RECORD_KINDS[kind].identity.map((name) => [name, true]));
    return z.required(z.partial(record), ids as never) as never;
  });
  return z.strictObject({
    profile: described(z.optional(text), 'profile of this environment'),
    baseUrl: described(z.optional(text), 'only base URL that this environment may have'),
    ...createWhenUsed(withOnlyIds),
  });
}

/** Schemas of the fields of a settings file. */
export const settingsFields = createWhenUsed({
  svc: () => described(z.optional(z.literal(1)), 'version of the format'),
  ...settingsOf((record) => record),
  endpoints: () =>
    list(
      'webhook endpoints',
      withRules(endpoint(), { anyOf: [{ required: ['uid'] }, { required: ['id'] }] }),
    ),
  environments: () =>
    described(
      z.optional(z.record(id('name of the environment'), createOverlay())),
      'values that depend on the environment',
    ),
});

export const settingsSchema = z.strictObject(settingsFields);

/** Returns the schema of a settings file with some of the fields. Creates only their schemas. */
export function pickSettings(names: Iterable<string>): typeof settingsSchema {
  const known = [...names].filter((name) =>
    Object.hasOwn(settingsFields, name),
  ) as (keyof typeof settingsFields)[];
  return z.strictObject(
    Object.fromEntries(known.map((name) => [name, settingsFields[name]])),
  ) as never;
}

export type SettingsFields = z.output<typeof settingsSchema>;
