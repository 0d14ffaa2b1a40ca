import type { Flag } from '../catalog/flags.ts';
import { SvcError } from '../kernel/errors.ts';
import type { Invocation } from './definition.ts';

/** Lays the given flags over `data` and over the one record that flags can describe. */
export function applyFlags(
  flags: readonly Flag[],
  values: Invocation['options'],
  base: Readonly<Record<string, unknown>>,
): { data: Record<string, unknown>; record: Record<string, unknown> | undefined } {
  const data = structuredClone(base) as Record<string, unknown>;
  const record: Record<string, unknown> = {};
  for (const flag of flags) {
    const value = values[optionKey(flag.name)];
    if (value !== undefined) setPath(flag.ofRecord ? record : data, flag.path, flagValue(flag, value));
  }
  return { data, record: Object.keys(record).length > 0 ? record : undefined };
}

/** The name under which a parsed flag arrives: `max-depth` as `maxDepth`. */
function optionKey(flagName: string): string {
  return flagName.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function flagValue(flag: Flag, value: string | boolean | readonly string[]): unknown {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return flag.kind === 'map' ? pairs(flag, value) : value;
  if (flag.kind === 'number') return numberOf(flag, value);
  if (flag.kind === 'json') return jsonOf(flag, value);
  return value;
}

function numberOf(flag: Flag, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) throw new SvcError('usage', `--${flag.name}: '${text}' is not a number`);
  return value;
}

function jsonOf(flag: Flag, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SvcError('usage', `--${flag.name}: not valid JSON`, { cause: error });
  }
}

/** `key=value` pairs as an object; `true` and `false` become booleans, as the service's switches are. */
function pairs(flag: Flag, texts: readonly string[]): Record<string, unknown> {
  const entries = texts.map((text): [string, unknown] => {
    const at = text.indexOf('=');
    if (at < 1) throw new SvcError('usage', `--${flag.name}: '${text}' is not key=value`);
    const value = text.slice(at + 1);
    return [text.slice(0, at), value === 'true' || value === 'false' ? value === 'true' : value];
  });
  return Object.fromEntries(entries);
}

function setPath(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head, ...rest] = path;
  if (head === undefined) return;
  if (rest.length === 0) {
    target[head] = value;
    return;
  }
  const inner = target[head];
  const next = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner : {};
  target[head] = next;
  setPath(next as Record<string, unknown>, rest, value);
}
