import type { Auth, Effect, Operation } from './define.ts';
import { CREDENTIAL_HEADERS, CREDENTIALS_BY_AUTH } from './headers.ts';
import { createOperationSchemas } from './json-schema.ts';
import { HTTP_STATUS, type Status } from './statuses.ts';

export interface NamedOperation {
  readonly name: string;
  readonly operation: Operation;
}

export interface OpenApiOptions {
  readonly headerPrefix: string;
  readonly server: { readonly url: string; readonly description: string };
}

type Node = Readonly<Record<string, unknown>>;

export function createOpenApiDocument(
  operations: readonly NamedOperation[],
  { headerPrefix, server }: OpenApiOptions,
) {
  const byPath = Map.groupBy(operations, ({ operation }) => operation.path);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Collaboration backend',
      version: '2',
      description: 'Every operation is a POST of one JSON object with the property data.',
    },
    servers: [server],
    tags: [...new Set(operations.map(({ operation }) => operation.command[0]))].map((name) => ({
      name,
    })),
    paths: Object.fromEntries(
      [...byPath].map(([path, atPath]) => [path, { post: createPathItem(atPath) }]),
    ),
    components: {
      securitySchemes: createSecuritySchemes(headerPrefix),
      responses: Object.fromEntries(
        FAILURES.map(({ name, statuses }) => [name, createFailureResponse(statuses.join(', '))]),
      ),
      schemas: { failure: FAILURE, ...Object.fromEntries(operations.flatMap(componentsOf)) },
    },
  };
}

function createPathItem(operations: readonly NamedOperation[]): Node {
  const [first] = operations;
  if (!first) return {};
  const { command, summary, auth } = first.operation;
  const sentences = [
    ...operations.flatMap(describePurpose),
    ...operations.flatMap(describeGuarantees),
  ];
  const schema = (part: Part) =>
    anyOf(operations.map(({ name }) => ({ $ref: pointer(componentName(name, part)) })));
  return {
    operationId: first.name,
    tags: [command[0]],
    summary,
    description: [...new Set(sentences)].join(' '),
    security: createSecurity(auth),
    requestBody: { required: true, content: json(object({ data: schema('input') }, ['data'])) },
    responses: {
      200: { description: 'Success', content: json(createSuccessSchema(schema('output'))) },
      ...Object.fromEntries(
        FAILURES.map(({ http, name }) => [http, { $ref: `#/components/responses/${name}` }]),
      ),
    },
  };
}

function describePurpose({ operation }: NamedOperation): readonly string[] {
  const { summary, description } = operation;
  return [`${summary}.`, ...(description ? [description] : [])];
}

function describeGuarantees({ operation: { effect, feature } }: NamedOperation): readonly string[] {
  return [
    RETRY_GUARANTEES[effect],
    ...(feature
      ? [
          `Fails with FAILED_PRECONDITION if ${feature.replace('-', ' ')} are disabled in the service.`,
        ]
      : []),
  ];
}

const RETRY_GUARANTEES: Readonly<Record<Effect, string>> = {
  read: 'Changes nothing.',
  keyed: 'Writes under IDs chosen by the caller. Safe to retry.',
  set: 'Replaces values: a repeated call sets them again.',
  delete: 'A repeated call has nothing to delete.',
  once: 'Not idempotent: a repeated call is applied again.',
};

function createSecuritySchemes(prefix: string): Node {
  const schemeOf = (header: string) => ({ type: 'apiKey', in: 'header', name: prefix + header });
  return Object.fromEntries(
    Object.entries(CREDENTIAL_HEADERS).map(([name, header]) => [name, schemeOf(header)]),
  );
}

function createSecurity(auth: Auth): readonly Node[] {
  const requirements = CREDENTIALS_BY_AUTH[auth].map((credential) => [credential, []]);
  return requirements.length > 0 ? [Object.fromEntries(requirements)] : [];
}

const FAILURES = Object.entries(
  Object.groupBy(Object.keys(HTTP_STATUS) as Status[], (status) => HTTP_STATUS[status]),
).map(([http, statuses = []]) => ({ http, name: `failure-${http}`, statuses }));

const createFailureResponse = (description: string): Node => ({
  description,
  content: json({ $ref: pointer('failure') }),
});

const FAILURE = object(
  {
    error: object(
      {
        status: { type: 'string', examples: Object.keys(HTTP_STATUS) },
        message: { type: 'string' },
        details: { description: 'problems of individual items' },
      },
      ['status', 'message'],
    ),
  },
  ['error'],
);

function createSuccessSchema(data: Node): Node {
  const result = object({ status: { const: 'success' }, message: { type: 'string' }, data }, [
    'status',
    'message',
  ]);
  return object({ result }, ['result']);
}

type Part = 'input' | 'output';

function componentsOf({ name, operation }: NamedOperation): (readonly [string, unknown])[] {
  const schemas = createOperationSchemas(operation);
  return (['input', 'output'] as const).flatMap((part) => {
    const { $schema: _, $defs = {}, ...schema } = schemas[part];
    const components = [[componentName(name, part), schema] as const, ...Object.entries($defs)];
    return components.map(([component, each]) => [component, withPointers(each)] as const);
  });
}

function componentName(operation: string, part: Part): string {
  return `${operation}.${part}`;
}

function pointer(component: string): string {
  return `#/components/schemas/${component}`;
}

function withPointers(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', pointer('')) : value,
  );
}

function anyOf(schemas: readonly Node[]): Node {
  const [only, ...others] = schemas;
  return only && others.length === 0 ? only : { anyOf: schemas };
}

function json(schema: Node): Node {
  return { 'application/json': { schema } };
}

function object(properties: Node, required: readonly string[]): Node {
  return { type: 'object', properties, required };
}
