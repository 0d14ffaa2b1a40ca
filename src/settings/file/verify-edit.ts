import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import type { ReadFile } from './read-files.ts';
import { environmentsOf, parseSettings, type SettingsContent } from './read-settings.ts';
import { toValue } from './tree.ts';

interface EditToVerify {
  readonly content: SettingsContent;
  readonly environment: string | undefined;
  readonly texts: ReadonlyMap<string, string>;
  readonly expected: Readonly<Record<string, unknown>>;
  /** Whether values of other environments may change, too. */
  readonly mayAffectOthers: boolean;
}

/**
 * Parses edited files again, and compares all of their values with the expected ones.
 * @returns the changed contents by file, and the other environments whose values changed
 * @throws SvcError `invalid_input` for any other difference
 */
export function verifyEdit({
  content,
  environment,
  texts,
  expected,
  mayAffectOthers,
}: EditToVerify) {
  const { name, files, tree } = content;
  const changed = files.flatMap((file) => {
    const text = texts.get(file.name) ?? file.text;
    return text === file.text ? [] : [[file, text] as const];
  });
  if (changed.length === 0) return { texts: new Map(changed), affected: [] };
  const edited = files.map((file) => ({ ...file, text: texts.get(file.name) ?? file.text }));
  const others =
    environment === undefined ? [] : environmentsOf(tree).filter((other) => other !== environment);
  const affected = others.filter(
    (other) => valuesOf(name, files, other) !== valuesOf(name, edited, other),
  );
  const isExpected = canonicalText(expected) === valuesOf(name, edited, environment);
  if (!isExpected || (affected.length > 0 && !mayAffectOthers)) {
    throw new SvcError('invalid_input', `${name} cannot be edited without changing other values`, {
      hint: 'nothing was written; pull into a new file and compare the two',
    });
  }
  return { texts: new Map(changed), affected };
}

function valuesOf(
  name: string,
  files: readonly ReadFile[],
  environment: string | undefined,
): string | undefined {
  try {
    return canonicalText(toValue(parseSettings(name, files, environment).tree));
  } catch (error) {
    if (error instanceof SvcError) return undefined;
    throw error;
  }
}

/**
 * Formats values so that the same values in another order are equal, without the declarations that
 * they come from.
 */
function canonicalText(settings: unknown): string {
  const { vars: _vars, environments: _environments, ...values } = Object(settings);
  return JSON.stringify(sorted(values));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(sorted(item))).sort();
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, inner]) => [name, sorted(inner)] as const);
  return fields.sort(([a], [b]) => (a < b ? -1 : 1));
}
