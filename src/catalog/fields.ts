import * as z from 'zod/mini';
import { findSimilar } from '../kernel/nearest.ts';
import { ACCESS_ROLES } from './access-roles.ts';
import type { CreatedParents } from './define.ts';
import { described, withMetadata } from './metadata.ts';

export const id = (description: string) => described(z.string().check(z.minLength(1)), description);
export const organizationId = id('organization ID');
export const documentId = id('document ID');

/** Marks a write that creates its organization if it does not exist. */
export const createsOrganization: CreatedParents<{ readonly organizationId: string }> = {
  kinds: ['organization'],
  of: ({ organizationId: organization }) => [
    { kind: 'organization', id: organization, organizationId: organization },
  ],
};

/** Marks a write that creates its organization unless its input says otherwise. */
export const mayCreateOrganization: CreatedParents<{
  readonly organizationId: string;
  readonly createOrganization?: boolean | undefined;
}> = {
  kinds: ['organization'],
  of: ({ createOrganization, ...input }) =>
    createOrganization === false ? [] : createsOrganization.of(input),
};

/**
 * Marks a secret field: masked in all output without `--show-secrets`, and never accepted as a flag
 * value.
 */
export const secret = (description: string) =>
  withMetadata(described(z.string(), description), { secret: true });

export interface FlagOptions {
  readonly flag?: string;
  /** Name of the flag that sets a boolean to false (default: `no-<flag>`). */
  readonly off?: string;
  /** How the text is parsed: see `FlagKind` in flags.ts. */
  readonly as?: 'time' | 'entry' | 'entries' | 'changes' | 'content' | 'switch';
  /** Name of the value in help, such as `duration` (default: follows from the type). */
  readonly value?: string;
  /** Values of other top-level fields that the flag implies, unless they are given. */
  readonly implies?: Readonly<Record<string, unknown>>;
}

export const flag = <Schema extends z.ZodMiniType>(
  form: string | FlagOptions,
  schema: Schema,
): Schema => withMetadata(schema, typeof form === 'string' ? { flag: form } : form);

export const epochMilliseconds = z.number();

export const httpUrl = (description: string) =>
  described(z.url({ protocol: /^https?$/, error: 'not a valid http(s) URL' }), description);

/** A URL to set. An empty text removes the stored one. */
export const optionalUrl = (description: string) =>
  described(z.optional(z.union([z.literal(''), httpUrl(description)])), description);

export const user = z.looseObject({
  userId: id('user ID'),
  name: described(z.optional(z.string()), 'display name'),
  email: described(z.optional(z.string()), 'email address'),
  initial: described(
    z.optional(z.string()),
    'initial shown if the user has no picture (default: derived from the name)',
  ),
  photoUrl: described(z.optional(z.string()), "URL of the user's picture"),
});

export const accessRole = described(z.enum(ACCESS_ROLES), 'access role of the user');
/**
 * A text of an open set: any value is valid, except for misspelled known ones.
 * @param description names the set, without its values
 */
export const openChoice = (known: readonly string[], description: string) =>
  described(
    z.string().check(
      z.minLength(1),
      z.refine((value) => known.includes(value) || findSimilar(value, known) === undefined, {
        error: ({ input }) => `did you mean ${findSimilar(String(input), known)}?`,
      }),
    ),
    `${description}: ${known.join(', ')}`,
  );

/** Returns a warning for each value outside the known values of an open set. */
export function warnAboutUnknownValues(
  noun: string,
  known: readonly string[],
  values: readonly (string | undefined)[],
): readonly string[] {
  return [...new Set(values)]
    .filter((value) => value !== undefined && !known.includes(value))
    .map((value) => `'${value}' is not a known ${noun} (${known.join(', ')})`);
}

/** The records of a bulk call, at least one. Additional fields are forwarded. */
export const records = <Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.array(z.looseObject(shape)).check(z.minLength(1));

export const itemResult = z.looseObject({
  success: z.boolean(),
  message: z.optional(z.string()),
  id: z.optional(z.string()),
  code: z.optional(z.string()),
});

export const itemResults = z.record(z.string(), itemResult);

export const serviceSwitch = (description: string) =>
  flag({ flag: 'enable', off: 'disable' }, described(z.optional(z.boolean()), description));

export const triggers = flag(
  'trigger',
  described(
    z.optional(z.record(z.string(), z.boolean())),
    'enable or disable an event: comment.add=true',
  ),
);

/**
 * Adds rules between fields as JSON Schema, for generated documents. The schema's own refinement
 * enforces them.
 */
export const withRules = <Schema extends z.ZodMiniType>(
  schema: Schema,
  rules: z.core.JSONSchema.BaseSchema,
): Schema => withMetadata(schema, { rules });

/** @param identifying fields that identify the object, and do not count as a change */
export const requireChange = <Schema extends z.ZodMiniObject>(
  schema: Schema,
  identifying: readonly string[] = [],
): Schema =>
  withRules(
    schema.check(
      z.refine(
        (input) =>
          Object.entries(input).some(
            ([field, value]) => value !== undefined && !identifying.includes(field),
          ),
        { error: 'specify at least one field to change' },
      ),
    ),
    { minProperties: identifying.length + 1 },
  );

export function warnAboutPlaceholders(
  field: string,
  template: string | undefined,
  kind: '{x}' | '{{x}}',
): string[] {
  if (template === undefined) return [];
  const doubled = template.match(/\{\{\s*\w+\s*\}\}/g) ?? [];
  const single = template.match(/(?<!\{)\{\s*\w+\s*\}(?!\})/g) ?? [];
  const unreplaced = kind === '{x}' ? doubled : single;
  return unreplaced.map(
    (placeholder) => `${field}: ${placeholder} is not replaced; write placeholders as ${kind}`,
  );
}
