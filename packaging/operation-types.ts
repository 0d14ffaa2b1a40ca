import { loadOperation } from '../src/catalog/index.ts';
import { type JsonSchema, operationSchemas } from '../src/catalog/json-schema.ts';
import { manifest, type OperationEntry } from '../src/catalog/manifest.ts';

/** `src/library/operations.ts` as TypeScript that stands alone: the types written out from the catalog's schemas. */
export async function operationTypes(): Promise<string> {
  const written = await Promise.all(manifest.map(typesOf));
  return [
    '/** What each operation takes and answers with, by its name. */',
    `export interface OperationTypes ${block(written.map(({ member }) => member))}`,
    'export type OperationName = keyof OperationTypes;',
    "export type Input<Operation extends OperationName> = OperationTypes[Operation]['input'];",
    "export type Output<Operation extends OperationName> = OperationTypes[Operation]['output'];",
    ...written.flatMap(({ recursive }) => recursive),
    '',
  ].join('\n');
}

async function typesOf({ name, resource, summary, command }: OperationEntry) {
  const { input, output } = operationSchemas(await loadOperation(resource, name), { rules: false });
  const sides = [schemaTypes(input, `${pascalCase(name)}Input`), schemaTypes(output, `${pascalCase(name)}Output`)];
  const [taken, answered] = sides.map(({ type }) => type);
  const members = block([`readonly input: ${taken};`, `readonly output: ${answered};`]);
  return {
    member: `${comment(`${summary}: \`svc ${command.join(' ')}\``)}readonly '${name}': ${members};`,
    recursive: sides.flatMap(({ recursive }) => recursive),
  };
}

/** The type of the values that a JSON Schema of the catalog describes, and what refers to itself in it, under `name`. */
export function schemaTypes(schema: JsonSchema, name: string): { type: string; recursive: readonly string[] } {
  const nameOf = (reference: string) => `${name}${reference.replace(/\W|_/g, '').replace('defsschema', '')}`;
  const recursive = Object.entries(schema.$defs ?? {}).map(
    ([key, part]) => `export type ${nameOf(`#/$defs/${key}`)} = ${typeOf(part as JsonSchema, nameOf)};`,
  );
  return { type: typeOf(schema, nameOf), recursive };
}

type Naming = (reference: string) => string;

function typeOf(schema: JsonSchema, nameOf: Naming): string {
  const { $ref, anyOf, allOf, enum: values, const: value, type } = schema;
  if ($ref !== undefined) return nameOf($ref);
  if (anyOf) return unionOf(anyOf.map((part) => typeOf(part as JsonSchema, nameOf)));
  if (values) return unionOf(values.map((each) => JSON.stringify(each)));
  if (value !== undefined) return JSON.stringify(value);
  if (Array.isArray(type)) return unionOf(type.map((each) => typeOf({ ...schema, type: each }, nameOf)));
  if (type === 'array') return `ReadonlyArray<${typeOf((schema.items ?? {}) as JsonSchema, nameOf)}>`;
  if (type === 'object') return objectType(schema, nameOf);
  if (allOf && type === undefined) return allOf.map((part) => typeOf(part as JsonSchema, nameOf)).join(' & ');
  return SIMPLE.get(type ?? '') ?? 'unknown';
}

const SIMPLE = new Map([
  ['string', 'string'],
  ['boolean', 'boolean'],
  ['number', 'number'],
  ['integer', 'number'],
  ['null', 'null'],
]);

function objectType({ properties = {}, required = [], ...schema }: JsonSchema, nameOf: Naming): string {
  const members = Object.entries(properties).map(([name, declared]) => {
    const property = declared as JsonSchema;
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    const type = typeOf(property, nameOf);
    const member = required.includes(name) ? `${key}: ${type}` : `${key}?: ${type} | undefined`;
    return `${comment(property.description)}readonly ${member};`;
  });
  // Beside fields of their own, others can be anything.
  const rest = schema.additionalProperties as JsonSchema | undefined;
  if (rest) members.push(`readonly [field: string]: ${members.length > 0 ? 'unknown' : typeOf(rest, nameOf)};`);
  return members.length === 0 ? 'Readonly<Record<string, never>>' : block(members);
}

function block(members: readonly string[]): string {
  return `{\n${members.map((member) => `  ${member.replaceAll('\n', '\n  ')}\n`).join('')}}`;
}

const unionOf = (types: readonly string[]) => [...new Set(types)].join(' | ');
const comment = (text: string | undefined) => (text ? `/** ${text.replaceAll('*/', '*\\/')} */\n` : '');
const pascalCase = (name: string) => name.replace(/(?:^|[.-])(\w)/g, (_, first: string) => first.toUpperCase());
