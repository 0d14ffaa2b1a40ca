import { DEFAULT_ACCESS_ROLE } from '../catalog/access-roles.ts';
import type { BulkFields } from '../catalog/bulk-fields.ts';
import { formatNounCount, groupDigits } from '../kernel/plural.ts';
import type { FileDiagnostic } from './diagnostic.ts';
import type { PreparedRecord } from './record-preparation.ts';

interface AccessLimit {
  readonly fields: readonly string[];
  /** How each field begins in the key of a target, which is JSON: `["folderId",`. */
  readonly marks: readonly string[];
  /** The consequence if a record has none of them. */
  readonly effect: string;
  given: number;
  missing: number;
  first: FileDiagnostic | undefined;
}

/** Finds new users without a field that limits their access, in an input in which others have it. */
export class AccessLimits {
  readonly #limits: readonly AccessLimit[];

  constructor({ noun, knownFields, targetFields }: BulkFields) {
    const places = targetFields.flatMap(({ name, required }) => (required ? [] : [name]));
    const limits = [
      { fields: ['accessRole'], effect: `new users get the default role, ${DEFAULT_ACCESS_ROLE}` },
      { fields: places, effect: 'such users are added to the whole organization' },
    ];
    this.#limits =
      noun === 'user' && knownFields.includes('accessRole')
        ? limits.map((limit) => ({
            ...limit,
            marks: limit.fields.map((name) => `["${name}",`),
            given: 0,
            missing: 0,
            first: undefined,
          }))
        : [];
  }

  count({ ownFields, target }: PreparedRecord, locate: () => FileDiagnostic): void {
    for (const limit of this.#limits) {
      const isGiven =
        limit.fields.some((name) => ownFields[name] !== undefined) ||
        (target !== undefined && limit.marks.some((mark) => target.key.includes(mark)));
      if (isGiven) limit.given += 1;
      else {
        limit.missing += 1;
        limit.first ??= locate();
      }
    }
  }

  /** Creates a warning for each field that only some records have. */
  *describe(): Generator<FileDiagnostic> {
    for (const { fields, effect, given, missing, first } of this.#limits)
      if (given > 0 && first)
        yield {
          ...first,
          message: `${groupDigits(missing)} of ${formatNounCount(given + missing, 'record')} ${missing === 1 ? 'has' : 'have'} no ${fields.join(' or ')}; ${effect}`,
        };
  }
}
