import * as z from 'zod/mini';
import { RECORD_KINDS } from './record-kinds.ts';
import { configSchemas, recordSchemas } from './record-schemas.ts';

const list = <Record extends z.ZodMiniType>(record: Record) => z._default(z.array(record), []);

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

/** The configurations of a workspace. Services that were never configured are absent. */
export const configSchema = z.partial(z.strictObject({ ...configSchemas }));

/** Records of the embedded service: the format of `svc local export` and `svc local import`. */
export const stateSchema = z.strictObject({
  organizations: list(recordSchemas.organizations),
  folders: list(recordSchemas.folders),
  documents: list(aliased(RECORD_KINDS.documents.alias, recordSchemas.documents)),
  users: list(recordSchemas.users),
  groups: list(aliased(RECORD_KINDS.groups.alias, recordSchemas.groups)),
  activities: list(recordSchemas.activities),
  agents: list(recordSchemas.agents),
  agentGroups: list(aliased(RECORD_KINDS.agentGroups.alias, recordSchemas.agentGroups)),
  crdt: list(recordSchemas.crdt),
  userData: list(recordSchemas.userData),
  endpoints: list(recordSchemas.endpoints),
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
