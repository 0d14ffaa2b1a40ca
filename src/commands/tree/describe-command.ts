import { loadOperation } from '../../catalog/index.ts';
import type { OperationEntry } from '../../catalog/manifest.ts';
import type { Leaf, Node, OptionDefinition } from '../definition.ts';
import { longName, optionalProperty } from '../options.ts';
import { argumentsOf, flagsOf, type LoadedLeaf, loadLeaf } from './leaf.ts';

/**
 * Describes one command for programs, in few bytes: a property that does not apply is left out. All
 * commands also accept the global flags.
 */
export async function describeCommand({ path, summary }: Node, leaf: Leaf): Promise<object> {
  const loaded = await loadLeaf(leaf);
  const operands = argumentsOf(loaded).map(({ name, description, required, many }) => ({
    name,
    ...optionalProperty('description', description || undefined),
    ...(required && { required }),
    ...(many && { repeatable: true }),
  }));
  const options = flagsOf(loaded);
  const tuning = options.filter(({ isTuning }) => isTuning).map(({ flags }) => flags);
  const shown = options.filter(
    ({ negates, isTuning, isHidden }) => negates === undefined && !isTuning && !isHidden,
  );
  return {
    command: `svc ${path.join(' ')}`,
    summary,
    ...describeLeaf(loaded),
    ...(operands.length > 0 && { arguments: operands }),
    flags: shown.map((option) => describeFlag(option, options)),
    ...(tuning.length > 0 && { tuning }),
    ...(await describeEffects(loaded)),
    ...optionalProperty('example', Object.keys(examplesOf(loaded))[0]),
  };
}

function describeLeaf(leaf: LoadedLeaf): object {
  const { description } = leaf.kind === 'tool' ? leaf.definition : leaf.versions[0];
  return optionalProperty('description', description);
}

function examplesOf(leaf: LoadedLeaf): object {
  return (leaf.kind === 'tool' ? leaf.definition.examples : leaf.versions[0].examples) ?? {};
}

async function describeEffects(leaf: LoadedLeaf): Promise<object> {
  if (leaf.kind === 'tool') {
    const fields = leaf.definition.columns?.map(({ field }) => field);
    return optionalProperty('resultFields', fields);
  }
  const [entry] = leaf.versions;
  const { confirm } = await loadOperation(entry.resource, entry.name);
  return {
    effect: entry.effect,
    ...(confirm && { confirmation: 'asks first; a script needs --yes' }),
    ...(entry.paged && { pages: '--all for all pages' }),
    resultFields: resultFieldsOf(entry),
    schema: `svc schema ${entry.name}`,
  };
}

function resultFieldsOf({ bulk, fields }: OperationEntry): readonly string[] {
  return bulk === 'array' ? SUMMARY_FIELDS : fields;
}

const SUMMARY_FIELDS = 'total succeeded failed unknown skipped failures rejects'.split(' ');

/** A required flag whose value may come from records or settings is not required on the line. */
function describeRequired({ suppliedBy = [] }: OptionDefinition): object {
  return suppliedBy.length === 0 ? { required: true } : { suppliedBy };
}

function describeFlag(option: OptionDefinition, all: readonly OptionDefinition[]): object {
  const name = longName(option);
  const negation = all.find(({ negates }) => negates === name)?.flags;
  const value = /<(.*)>$/.exec(option.flags)?.[1];
  return {
    flag: `--${name}`,
    ...(value !== undefined && { value }),
    ...optionalProperty('negation', negation),
    ...(option.required && describeRequired(option)),
    ...(option.many && { repeatable: true }),
    ...optionalProperty('choices', option.choices),
    description: option.description,
  };
}
