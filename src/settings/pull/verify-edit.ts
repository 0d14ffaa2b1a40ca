import { SvcError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/json.ts';
import {
  environmentsOf,
  parseSettings,
  type SettingsContent,
  type SettingsTexts,
} from '../file/read-settings.ts';
import { toValue } from '../file/tree.ts';

interface EditToVerify {
  readonly content: SettingsContent;
  readonly environment: string | undefined;
  readonly texts: ReadonlyMap<string, string>;
  readonly expected: Readonly<Record<string, unknown>>;
  /** Whether values of other environments may change, too. */
  readonly mayAffectOthers: boolean;
  readonly signal: AbortSignal;
}

/**
 * Parses edited files again, and compares all of their values with the expected ones. Rejects with
 * the signal's reason if the signal is aborted.
 * @returns the changed contents by file, and the other environments whose values changed
 * @throws SvcError `invalid_input` for any other difference
 */
export async function verifyEdit({
  content,
  environment,
  texts,
  expected,
  mayAffectOthers,
  signal,
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
  const before = { name, files, environment, signal };
  const after = { ...before, files: edited };
  const affected: string[] = [];
  for (const other of others) {
    const values = await readValues({ ...before, environment: other });
    if (values !== (await readValues({ ...after, environment: other }))) affected.push(other);
  }
  const isExpected = canonicalText(expected) === (await readValues(after));
  if (!isExpected || (affected.length > 0 && !mayAffectOthers)) {
    throw new SvcError('invalid_input', `${name} cannot be edited without changing other values`, {
      hint: 'nothing was written; pull into a new file and compare the two',
    });
  }
  return { texts: new Map(changed), affected };
}

/** @returns `undefined` if the texts are invalid */
async function readValues(texts: SettingsTexts): Promise<string | undefined> {
  try {
    return canonicalText(toValue((await parseSettings(texts)).tree));
  } catch (error) {
    texts.signal.throwIfAborted();
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
