import { loadOperation } from '../../src/catalog/index.ts';
import { manifest } from '../../src/catalog/manifest.ts';
import { createOpenApiDocument } from '../../src/catalog/openapi.ts';

/** Creates the OpenAPI document of all operations, for a service with headers of its own. */
export async function createDocument(): Promise<ReturnType<typeof createOpenApiDocument>> {
  const operations = manifest.map(async ({ resource, name }) => ({
    name,
    operation: await loadOperation(resource, name),
  }));
  return createOpenApiDocument(await Promise.all(operations), {
    headerPrefix: 'x-own-',
    server: { url: 'https://api.example.com', description: 'The service' },
  });
}
