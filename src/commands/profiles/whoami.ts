import { escapeForTerminal } from '../../kernel/safe-text.ts';
import { createNotConfiguredError, listMissingSettings } from '../../profiles/missing-settings.ts';
import type { Settings } from '../../profiles/resolve.ts';
import type { Context } from '../context.ts';
import { EMBEDDED_SERVICE } from '../embedded-service.ts';

/** Prints the active connection in one line. @throws SvcError `no_credential` if required settings are missing */
export async function whoami(context: Context): Promise<void> {
  const { local } = context.options;
  const settings = await context.settings();
  if (!local && listMissingSettings(settings).length > 0) throw createNotConfiguredError(settings);
  const printer = await context.printer();
  const { profile, baseUrl, apiKey, workspaceId, org } = local ? {} : settings;
  const identity = {
    profile: profile?.value ?? null,
    baseUrl: baseUrl?.value ?? null,
    apiKey: apiKey?.value ?? null,
    workspaceId: workspaceId?.value ?? null,
    org: org?.value ?? null,
    local,
  };
  await printer.value(identity, {
    renderText: ({ isTerminal }) => {
      const line = local ? `${EMBEDDED_SERVICE} (--local)` : describeConnection(settings);
      return `${isTerminal ? escapeForTerminal(line) : line}\n`;
    },
  });
}

/** Returns a line such as `API key key-1 at https://api.example.com (profile 'prod')`. */
function describeConnection({ baseUrl, apiKey, workspaceId, org }: Settings): string {
  const credential = apiKey ?? workspaceId;
  const name = apiKey ? 'API key' : 'workspace';
  const target = org ? `, organization ${org.value}` : '';
  return `${name} ${credential?.value} at ${baseUrl?.value}${target} (${credential?.source})`;
}
