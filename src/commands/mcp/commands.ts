import type { CommandDefinition, OperationRunner } from '../definition.ts';

/** The command that serves tools. The runners are those of the tree that it is itself a part of. */
export function toolServer(runners: readonly OperationRunner[]): CommandDefinition {
  return {
    command: ['mcp'],
    summary: 'Offer the operations as tools to an AI assistant, over the Model Context Protocol',
    description:
      "For hosts that start it and talk to it over stdin and stdout. Every operation is a tool that takes its data as JSON. Only tools that change nothing are offered unless --allow-writes is given; what asks before it runs has the host ask its user, or needs --yes where the host cannot, and a protected profile needs SVC_ALLOW too. What is a secret's only purpose needs --show-secrets. It ends when the host closes its stdin.",
    examples: [
      { command: 'svc mcp --local < /dev/null', does: 'tools that read the embedded service' },
      {
        command: 'svc mcp --profile staging --allow-writes --dry-run < /dev/null',
        does: 'tools that show each request of a write instead of sending it',
      },
    ],
    options: [{ flags: '--allow-writes', describes: 'offer the tools that change something, too' }],
    load: async () => {
      const { serveTools } = await import('./serve-tools.ts');
      return (context, { options }) => serveTools(context, { runners, allowWrites: options['allowWrites'] === true });
    },
  };
}
