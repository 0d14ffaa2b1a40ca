import './bundled-typescript.ts';

/** Writes the client that @hey-api/openapi-ts generates from an OpenAPI document to a folder. */
const { createClient } = await import('@hey-api/openapi-ts');
const [input = '', output = ''] = process.argv.slice(2);
await createClient({ input, output, logs: { level: 'silent', file: false } });
