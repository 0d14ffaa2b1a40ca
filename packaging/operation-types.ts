import { loadOperation } from '../src/catalog/index.ts';
import { createOperationSchemas, type JsonSchema } from '../src/catalog/json-schema.ts';
import { manifest, type OperationEntry } from '../src/catalog/manifest.ts';

/**
 * Creates a self-contained version of `src/library/operations.ts`, with types generated from the
 * catalog's schemas.
 */
export async function createOperationTypes(): Promise<string> {
  const operations = await Promise.all(manifest.map(createTypes));
  return [
    '/** Input and output types of each operation, by name. */',
    `export interface OperationTypes ${block(operations.map(({ member }) => member))}`,
    'export type OperationName = keyof OperationTypes;',
    "export type Input<Operation extends OperationName> = OperationTypes[Operation]['input'];",
    "export type Output<Operation extends OperationName> = OperationTypes[Operation]['output'];",
    ...operations.flatMap(({ recursive }) => recursive),
    '',
  ].join('\n');
}

async function createTypes({ name, resource, summary, command }: OperationEntry) {
  const { input, output } = createOperationSchemas(await loadOperation(resource, name), {
    rules: false,
  });
  const sides = [
    createSchemaTypes(input, `${pascalCase(name)}Input`),
    createSchemaTypes(output, `${pascalCase(name)}Output`),
  ];
  const [inputType, outputType] = sides.map(({ type }) => type);
  const members = block([`readonly input: ${inputType};`, `readonly output: ${outputType};`]);
  return {
    member: `${comment(`${summary}: \`svc ${command.join(' ')}\``)}readonly '${name}': ${members};`,
    recursive: sides.flatMap(({ recursive }) => recursive),
  };
}

/**
 * Creates the type for a JSON Schema of the catalog, and named types for its recursive parts,
 * prefixed with `name`.
 */
function createSchemaTypes(
  schema: JsonSchema,
  name: string,
): { type: string; recursive: readonly string[] } {
  const nameOf = (reference: string) =>
    `${name}${reference.replace(/\W|_/g, '').replace('defsschema', '')}`;
  const recursive = Object.entries(schema.$defs ?? {}).map(
    ([key, part]) =>
      `export type ${nameOf(`#/$defs/${key}`)} = ${typeOf(part as JsonSchema, nameOf)};`,
  );
  return { type: typeOf(schema, nameOf), recursive };
}

type NameReference = (reference: string) => string;

function typeOf(schema: JsonSchema, nameOf: NameReference): string {
  const { $ref, anyOf, allOf, enum: values, const: value, type } = schema;
  if ($ref !== undefined) return nameOf($ref);
  if (anyOf) return unionOf(anyOf.map((part) => typeOf(part as JsonSchema, nameOf)));
  if (values) return unionOf(values.map((each) => JSON.stringify(each)));
  if (value !== undefined) return JSON.stringify(value);
  if (Array.isArray(type))
    return unionOf(type.map((each) => typeOf({ ...schema, type: each }, nameOf)));
  if (type === 'array')
    return `ReadonlyArray<${typeOf((schema.items ?? {}) as JsonSchema, nameOf)}>`;
  if (type === 'object') return objectType(schema, nameOf);
  if (allOf && type === undefined)
    return allOf.map((part) => typeOf(part as JsonSchema, nameOf)).join(' & ');
  return SIMPLE.get(type ?? '') ?? 'unknown';
}

const SIMPLE = new Map([
  ['string', 'string'],
  ['boolean', 'boolean'],
  ['number', 'number'],
  ['integer', 'number'],
  ['null', 'null'],
]);

function objectType(
  { properties = {}, required = [], ...schema }: JsonSchema,
  nameOf: NameReference,
): string {
  const members = Object.entries(properties).map(([name, declared]) => {
    const property = declared as JsonSchema;
    const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
    const type = typeOf(property, nameOf);
    const member = required.includes(name) ? `${key}: ${type}` : `${key}?: ${type} | undefined`;
    return `${comment(property.description)}readonly ${member};`;
  });
  // Additional fields next to known ones can have any type.
  const rest = schema.additionalProperties as JsonSchema | undefined;
  if (rest)
    members.push(
      `readonly [field: string]: ${members.length > 0 ? 'unknown' : typeOf(rest, nameOf)};`,
    );
  return members.length === 0 ? 'Readonly<Record<string, never>>' : block(members);
}

function block(members: readonly string[]): string {
  return `{\n${members.map((member) => `  ${member.replaceAll('\n', '\n  ')}\n`).join('')}}`;
}

const unionOf = (types: readonly string[]) => [...new Set(types)].join(' | ');
const comment = (text: string | undefined) =>
  text ? `/** ${text.replaceAll('*/', '*\\/')} */\n` : '';
const pascalCase = (name: string) =>
  name.replace(/(?:^|[.-])(\w)/g, (_, first: string) => first.toUpperCase());
