import * as z from 'zod';
import { ACCESS_ROLES } from './access-roles.ts';

/** An id chosen by the caller: any text but the empty one. */
export const id = (describes: string) => z.string().min(1).describe(describes);

export const organizationId = id('organization id');
export const documentId = id('document id');

/** Marks a field that holds a secret: masked in every output unless `--show-secrets`, and never the value of a flag. */
export const secret = (describes: string) => z.string().describe(describes).meta({ secret: true });

/** How the command line shows a field where its name and type don't say it. */
export interface FlagForm {
  /** The flag's name, where it differs from the field's own. */
  readonly flag?: string;
  /** The flag that says no to a boolean, where it is not `--no-<flag>`. */
  readonly off?: string;
  /** How the text becomes a value: see `FlagKind` in flags.ts. */
  readonly as?: 'time' | 'entry' | 'entries' | 'changes' | 'content';
}

export const flag = <Schema extends z.ZodType>(form: string | FlagForm, schema: Schema): Schema =>
  schema.meta({ ...schema.meta(), ...(typeof form === 'string' ? { flag: form } : form) });

/** Milliseconds since the Unix epoch. */
export const epochMilliseconds = z.number();

/** An http or https URL. */
export const httpUrl = (describes: string) =>
  z.url({ protocol: /^https?$/, error: 'not a valid http(s) URL' }).describe(describes);

/** A user as operations take it; further fields are passed on. */
export const user = z.looseObject({
  userId: id('user id'),
  name: z.string().optional().describe('display name'),
  email: z.string().optional().describe('e-mail address'),
  initial: z
    .string()
    .optional()
    .describe('initial shown where there is no picture; derived from the name when left out'),
});

export const accessRole = z.enum(ACCESS_ROLES).describe('what the user may do there');

/** One item of a bulk reply. Only a literal `true` counts as success; other fields are passed on as they come. */
export const itemResult = z.looseObject({
  success: z.boolean(),
  message: z.string().optional(),
  id: z.string().optional(),
  code: z.string().optional(),
});

/** A bulk reply: the result of each record under the id the caller gave it. */
export const itemResults = z.record(z.string(), itemResult);

/** The `--enable` and `--disable` of a service. */
export const serviceSwitch = (describes: string) =>
  flag({ flag: 'enable', off: 'disable' }, z.boolean().optional().describe(describes));

export const triggers = flag(
  'trigger',
  z.record(z.string(), z.boolean()).optional().describe('switch an event on or off: comment.add=true'),
);

/**
 * Notes the rules between the fields of an object as JSON Schema, for documents that describe the interface. The object's
 * own refinement enforces them.
 */
export const withRules = <Schema extends z.ZodType>(schema: Schema, rules: z.core.JSONSchema.BaseSchema): Schema =>
  schema.meta({ ...schema.meta(), rules });

/**
 * An update in which every field may be left out, but not all of them.
 * @param named fields that name the object to change
 */
export const someGiven = <Schema extends z.ZodObject>(schema: Schema, named: readonly string[] = []): Schema =>
  withRules(
    schema.refine((input) => hasChange(input, named), { error: 'give at least one thing to change' }),
    { minProperties: named.length + 1 },
  );

function hasChange(input: object, named: readonly string[]): boolean {
  return Object.entries(input).some(([field, value]) => value !== undefined && !named.includes(field));
}
