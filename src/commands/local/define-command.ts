import { DEFAULT_LIMIT } from '../../catalog/local/default-limit.ts';
import { getAdminEntry } from '../../catalog/local/find-entry.ts';
import type { AdminOperationName } from '../../catalog/local/index.ts';
import { createFlagDefinitions } from '../call/flag-definitions.ts';
import type { CommandDefinition } from '../definition.ts';
import { optionalProperty } from '../options.ts';

/** Parts of a command that its operation does not define. */
interface Additions extends Partial<Pick<CommandDefinition, 'options' | 'load'>> {
  /** The command prints no result. */
  readonly isSilent?: true;
  /** Flags can replace the arguments and the required flags. */
  readonly hasAlternative?: true;
}

/** Derives the command of an operation. */
export function defineLocalCommand(
  name: AdminOperationName,
  { options = [], load, isSilent, hasAlternative }: Additions = {},
): CommandDefinition {
  const entry = getAdminEntry(name);
  const { command, summary, description, examples, columns, effect } = entry;
  const limit = entry.flags.find((flag) => flag.name === 'limit');
  const isList = command.at(-1) === 'list' && effect === 'read';
  const flags = entry.flags
    .filter((flag) => flag !== limit)
    .map((flag) => ({ ...flag, required: flag.required && !hasAlternative }));
  return {
    command,
    summary,
    ...optionalProperty('description', description),
    ...optionalProperty('examples', examples),
    ...optionalProperty('columns', columns),
    ...(isList && { listEnd: limit ? DEFAULT_LIMIT : 'complete' }),
    globalFlags: [
      'local',
      ...(isSilent ? [] : (['result'] as const)),
      ...(effect === 'read' ? [] : (['dry-run'] as const)),
    ],
    arguments: entry.arguments.map((operand) => ({
      name: operand.name,
      description: operand.description,
      required: !hasAlternative,
      ...optionalProperty('many', operand.many),
    })),
    options: [...flags.flatMap((flag) => createFlagDefinitions(flag)), ...options],
    load: load ?? (async () => (await import('./operation.ts')).createLocalCommand(name)),
  };
}
