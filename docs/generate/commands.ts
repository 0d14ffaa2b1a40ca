import type { OptionDefinition } from '../../src/commands/definition.ts';
import { GLOBAL_FLAGS } from '../../src/commands/global-flags.ts';
import { type Described, type DescribedGroup, describedGroups } from './command-tree.ts';

/** The reference of every command, as Markdown. */
export async function commandReference(): Promise<string> {
  const groups = await describedGroups();
  const contents = groups.map(({ name, summary }) => `- [${name}](#${name}): ${summary}`);
  const head = `# Commands\n\nEvery command with its flags, written by \`npm run generate\`. \`svc help <command>\` says the same.\n\n${contents.join('\n')}`;
  return `${[head, section('Global flags', GLOBAL_FLAGS), ...groups.map(groupText)].join('\n\n')}\n`;
}

function groupText({ name, commands }: DescribedGroup): string {
  return [`## ${name}`, ...commands.map(commandText)].join('\n\n');
}

function commandText({ words, usage, summary, description, examples, flags }: Described): string {
  const shown = examples.flatMap(({ command, does }) => [`# ${does}`, command]);
  return [
    `### svc ${words.join(' ')}`,
    description ?? `${summary}.`,
    `\`\`\`\n${usage}\n\`\`\``,
    ...(shown.length > 0 ? [`\`\`\`sh\n${shown.join('\n')}\n\`\`\``] : []),
    ...(flags.length > 0 ? [table(flags)] : []),
  ].join('\n\n');
}

function section(title: string, flags: readonly OptionDefinition[]): string {
  return `## ${title}\n\nThey stand before or after the command.\n\n${table(flags)}`;
}

function table(flags: readonly OptionDefinition[]): string {
  const rows = flags.map(({ flags: written, describes, choices }) => {
    const values = choices ? ` (${choices.join(', ')})` : '';
    return `| \`${written}\` | ${`${describes}${values}`.replaceAll('|', '\\|')} |`;
  });
  return ['| flag | |', '|---|---|', ...rows].join('\n');
}
