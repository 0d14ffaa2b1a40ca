import type { CommandDefinition, Node } from '../definition.ts';

/** Creates the command that lists all commands of the tree, including itself. */
export function createListCommand(tree: () => Node): CommandDefinition {
  return {
    command: ['commands'],
    globalFlags: ['result'],
    summary: 'List every command with its flags',
    examples: [{ command: 'svc commands -o json', caption: 'Print the command tree as JSON' }],
    load: async () => {
      const { printCommandList: listCommands } = await import('./command-list.ts');
      return (context) => listCommands(context, tree());
    },
  };
}
