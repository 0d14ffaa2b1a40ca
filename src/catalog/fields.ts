import * as z from 'zod';

/** An id chosen by the caller: any text but the empty one. */
export const id = (describes: string) => z.string().min(1).describe(describes);

export const organizationId = id('organization id');

/** Marks a reply field that holds a secret: masked in every output unless `--show-secrets`. */
export const secret = (describes: string) => z.string().describe(describes).meta({ secret: true });

/** Names the command-line flag of a field where it differs from the field's own name. */
export const flag = <Schema extends z.ZodType>(name: string, schema: Schema): Schema => schema.meta({ flag: name });

/** Milliseconds since the Unix epoch. */
export const epochMilliseconds = z.number();

/** One item of a bulk reply. Only a literal `true` counts as success; other fields are passed on as they come. */
export const itemResult = z.looseObject({
  success: z.boolean(),
  message: z.string().optional(),
  id: z.string().optional(),
  code: z.string().optional(),
});

/** A bulk reply: the result of each record under the id the caller gave it. */
export const itemResults = z.record(z.string(), itemResult);
