import type { EmbeddedService, ServiceSettings } from './embedded-service.ts';

/**
 * Opens the embedded service. A new store gets a workspace, an API key, and random tokens.
 * @throws SvcError `local` if the store cannot be used, `usage` for invalid settings
 */
export async function createService(settings: ServiceSettings = {}): Promise<EmbeddedService> {
  // Programs that use only the client do not load the service.
  return (await import('./embedded-service.ts')).openEmbeddedService(settings);
}
