import type { CommandDefinition, Node } from '../definition.ts';

/** The command that lists all commands, of the tree that it is itself a part of. */
export function commandList(tree: () => Node): CommandDefinition {
  return {
    command: ['commands'],
    summary: 'List every command with its flags',
    examples: [{ command: 'svc commands -o json', does: 'the tree of commands, for programs' }],
    load: async () => {
      const { listCommands } = await import('./command-list.ts');
      return (context) => listCommands(context, tree());
    },
  };
}
