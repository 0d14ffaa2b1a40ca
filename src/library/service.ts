import type { EmbeddedService, ServiceSettings } from './embedded-service.ts';

/**
 * Opens the backend with a workspace, an API key and random tokens, made at the first use of its store.
 * @throws SvcError `local` when the store cannot be used
 */
export async function createService(settings: ServiceSettings = {}): Promise<EmbeddedService> {
  // Whoever only calls a service does not load one.
  return (await import('./embedded-service.ts')).openService(settings);
}
