import { type CommandDefinition, defineCommand } from '../definition.ts';

export const MCP_COMMAND: CommandDefinition = defineCommand({
  command: ['mcp'],
  globalFlags: ['service', 'dry-run'],
  summary: 'Serve the operations to AI assistants (Model Context Protocol)',
  description:
    'Runs as a child process of an MCP host and communicates with the host over stdin and stdout. Offers two tools: describe lists the operations and their fields, and read calls operations that only read. --allow-writes adds a third tool, write, which calls the others. write first returns a preview of the request with a token, and sends the request when it is called again with the token. With saveAs, it saves a plan for a person to approve and apply, and sends nothing. If an operation needs confirmation, the host asks its user; if the host cannot ask, svc refuses the operation. Operations that hand out a secret are not offered. When the host closes stdin, svc finishes the calls in flight and exits.',
  examples: {
    'svc mcp --local < /dev/null': 'serve tools that read the embedded service',
    'svc mcp --profile staging --allow-writes --dry-run < /dev/null':
      'serve tools that show write requests instead of sending them',
  },
  options: [{ flags: '--allow-writes', description: 'add the tool that writes' }],
  load: async () => {
    const { serveTools } = await import('./serve-tools.ts');
    return (context, { options }) => serveTools(context, options.allowWrites === true);
  },
});
