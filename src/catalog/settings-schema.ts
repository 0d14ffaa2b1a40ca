import { createJsonSchema, type JsonSchema } from './json-schema.ts';
import { settingsSchema } from './settings.ts';

/** Returns the JSON Schema of settings files, for editors. */
export function createSettingsSchema(): JsonSchema {
  return { title: 'Settings file of svc', ...createJsonSchema(settingsSchema, 'input') };
}
