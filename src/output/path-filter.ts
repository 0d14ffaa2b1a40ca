import { isObject, tryParseJson } from '../kernel/json.ts';
import { once } from '../kernel/once.ts';
import type { FilterText } from './printer.ts';

/** Matches a path, such as `.items[0].name` or `.[].id`. */
const PATH = /^(?=\.)(?:\.[A-Za-z_]\w*|\.?\[(?:0|[1-9]\d{0,8})?\])+$/;
const PIPE = /[ \t\r\n]*\|[ \t\r\n]*/;
const MAX_LENGTH = 1024 * 1024;
/** Matches an escaped surrogate. jq rejects JSON with an unpaired one. */
const SURROGATE = /\\u[dD][89a-fA-F]/;
/** A property name, an index, or undefined for all elements. */
type Step = string | number | undefined;

/**
 * Opens a filter for a jq expression. Evaluates paths, the most common expressions, itself: jq
 * takes longer to load than most commands take to run. Leaves errors and values other than strings,
 * booleans, and null to jq, which formats them exactly.
 * @throws SvcError `usage` if the expression is not valid jq
 */
export async function openFilter(expression: string, signal?: AbortSignal): Promise<FilterText> {
  const loadJq = once(async () => (await import('./jq.ts')).openJqFilter(expression, signal));
  const select = compilePaths(expression);
  return select ? async (json) => select(json) ?? (await loadJq())(json) : loadJq();
}

/**
 * Compiles a pipe of paths to a function that returns the same text as jq, or undefined; undefined
 * for other expressions.
 */
export function compilePaths(
  expression: string,
): ((json: string) => string | undefined) | undefined {
  const paths = expression.split(PIPE);
  if (!paths.every((path) => PATH.test(path))) return undefined;
  const steps = Array.from(paths.join('').matchAll(/\[(\d*)\]|\w+/g), ([name, index]): Step => {
    if (index === undefined) return name;
    return index === '' ? undefined : Number(index);
  });
  return (json) => selectTexts(json, steps);
}

function selectTexts(json: string, steps: readonly Step[]): string | undefined {
  if (json.length > MAX_LENGTH || !json.isWellFormed() || SURROGATE.test(json)) return undefined;
  let values: readonly unknown[] = [tryParseJson(json)];
  for (const step of steps) {
    const selected = values.map((value) => applyStep(value, step));
    if (selected.includes(undefined)) return undefined;
    values = selected.flat();
  }
  const texts = values.map((value) =>
    value === null || typeof value === 'boolean' ? String(value) : value,
  );
  return texts.every((text) => typeof text === 'string')
    ? texts.map((text) => `${text}\n`).join('')
    : undefined;
}

function applyStep(value: unknown, step: Step): readonly unknown[] | undefined {
  if (step === undefined) return Array.isArray(value) ? value : undefined;
  if (value === null) return [null];
  if (typeof step === 'number') return Array.isArray(value) ? [value[step] ?? null] : undefined;
  return isObject(value) ? [Object.hasOwn(value, step) ? value[step] : null] : undefined;
}
