import { loadOperation } from '../../catalog/index.ts';
import { manifest } from '../../catalog/manifest.ts';
import { createOpenApiDocument } from '../../catalog/openapi.ts';
import type { Context } from '../context.ts';
import { DEFAULT_ADDRESS } from '../service-flags.ts';
import { printDocument } from '../terminal/print-document.ts';

export async function openApiCommand(context: Context): Promise<void> {
  const [operations, { baseUrl, headerPrefix }] = await Promise.all([
    Promise.all(
      manifest.map(async ({ resource, name }) => ({
        name,
        operation: await loadOperation(resource, name),
      })),
    ),
    context.target(),
  ]);
  const { host, port } = DEFAULT_ADDRESS;
  const embedded = {
    url: `http://${host}:${port}`,
    description: 'The embedded service on its default port',
  };
  const server = baseUrl ? { url: baseUrl.value, description: 'The configured service' } : embedded;
  const document = createOpenApiDocument(operations, { headerPrefix: headerPrefix.value, server });
  await printDocument(context, document);
}
