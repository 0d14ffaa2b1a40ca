import { type CommandDefinition, defineCommand, type OperationRunner } from '../definition.ts';

export function createMcpCommand(runners: readonly OperationRunner[]): CommandDefinition {
  return defineCommand({
    command: ['mcp'],
    globalFlags: ['service', 'result', 'envelope', 'dry-run'],
    summary: 'Serve the operations as tools for AI assistants (Model Context Protocol)',
    description:
      'Runs as a child process of an MCP host and communicates with the host over stdin and stdout. Every operation is a tool that takes its data as JSON. By default, only tools that read are available; --allow-writes adds the others. If an operation needs confirmation, the host asks its user; if the host cannot ask, the operation requires --yes. A protected profile also requires SVC_ALLOW. Operations that return a secret require --show-secrets. Exits when the host closes its stdin.',
    examples: {
      'svc mcp --local < /dev/null': 'serve tools that read the embedded service',
      'svc mcp --profile staging --allow-writes --dry-run < /dev/null':
        'serve tools that show write requests instead of sending them',
    },
    options: [{ flags: '--allow-writes', description: 'add tools that write' }],
    load: async () => {
      const { serveTools } = await import('./serve-tools.ts');
      return (context, { options }) => serveTools(context, runners, options.allowWrites === true);
    },
  });
}
