import { decodeSmallFile } from '../../bulk/source/input-text.ts';
import { InputError } from '../../bulk/source/source.ts';
import {
  type ParsedYaml,
  parseTypedYaml,
  parseYamlText,
  readNode,
} from '../../bulk/source/yaml-text.ts';
import type { FaultFileInput, FaultRuleInput } from '../../catalog/fault-rules.ts';
import { type FaultProblem, parseFaultFile } from '../../catalog/faults.ts';
import { formatFieldPath } from '../../kernel/field-path.ts';
import { readNamedFile } from '../../kernel/named-file.ts';
import type { Context } from '../context.ts';

const MAX_BYTES = 1024 * 1024;

/**
 * Reads a YAML or JSON file with fault rules.
 * @throws InputError with the position of the first problem
 */
export async function readFaultFile(
  { cwd, signal }: Context,
  path: string,
): Promise<FaultFileInput> {
  const bytes = await readNamedFile(path, cwd, { signal, maxBytes: MAX_BYTES });
  const parsed = await parseTypedYaml(await decodeSmallFile(bytes, path), path, signal);
  return readChecked(parsed, path, []) as FaultFileInput;
}

/** Parses a fault rule in JSON. @throws InputError with the position in the argument */
export function parseFaultRule(text: string, name = 'rule'): FaultRuleInput {
  return readChecked(parseYamlText(text, name, 'typed'), name, ['faults', 0]) as FaultRuleInput;
}

/**
 * Checks a fault file, or a single rule.
 * @param outer path that the rule would have in a file (empty for a file)
 */
function readChecked(parsed: ParsedYaml, name: string, outer: readonly PropertyKey[]): unknown {
  const { value } = readNode(parsed, parsed.document.contents, name);
  const checked = parseFaultFile(outer.length > 0 ? { faults: [value] } : value);
  if ('faults' in checked) return value;
  const [problem] = checked as readonly [FaultProblem];
  const path = problem.path.slice(outer.length);
  const field = formatFieldPath(path);
  throw new InputError(
    name,
    locate(parsed, path, problem.names),
    `${field && `${field}: `}${problem.message}`,
  );
}

/**
 * Returns the position of a value or of its field name. For a missing value, returns the position
 * of the enclosing value.
 */
function locate(
  { document, positionOf }: ParsedYaml,
  path: readonly PropertyKey[],
  names: FaultProblem['names'],
) {
  for (let length = path.length; length > 0; length -= 1) {
    const inner = path.slice(0, length);
    const parent = document.getIn(inner.slice(0, -1), true) as PairsNode | undefined;
    const key = parent?.items?.find((pair) => pair.key?.value === inner.at(-1))?.key;
    const node =
      names === 'field' && key ? key : (document.getIn(inner, true) as RangeNode | undefined);
    if (node?.range) return positionOf(node.range[0]);
  }
  return positionOf(document.contents?.range[0]);
}

interface RangeNode {
  readonly range?: readonly [number, number, number] | null;
}

interface PairsNode {
  readonly items?: readonly { readonly key?: RangeNode & { readonly value?: unknown } }[];
}
