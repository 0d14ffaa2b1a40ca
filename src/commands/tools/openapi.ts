import { loadOperation } from '../../catalog/index.ts';
import { manifest } from '../../catalog/manifest.ts';
import { openApiDocument } from '../../catalog/openapi.ts';
import type { Context } from '../context.ts';
import { DEFAULT_ADDRESS } from '../default-address.ts';
import { showDocument } from '../terminal/document.ts';

/** Prints the interface as OpenAPI, with the address and the header names that this user has. */
export async function openApiCommand(context: Context): Promise<void> {
  const [operations, { baseUrl, headerPrefix }] = await Promise.all([
    Promise.all(manifest.map(async ({ resource, name }) => ({ name, operation: await loadOperation(resource, name) }))),
    context.openSettings(),
  ]);
  const server = baseUrl
    ? { url: baseUrl.value, description: 'The service that svc is set up for' }
    : {
        url: `http://${DEFAULT_ADDRESS.host}:${DEFAULT_ADDRESS.port}`,
        description: 'The embedded service on its default port',
      };
  const document = openApiDocument(operations, { headerPrefix: headerPrefix.value, server });
  await showDocument(context, document);
}
