import type { Flag, FlagKind } from '../../catalog/flags.ts';
import { type FlagSource, type OptionDefinition, optionalProperty } from '../options.ts';

const REPEATABLE_KINDS: readonly FlagKind[] = ['list', 'map', 'switches', 'entries', 'changes'];

export function isRequired({ required, ofRecord }: Flag): boolean {
  return required && !ofRecord;
}

/** Finds out where the value of a required flag may come from instead. */
function sourcesOf(flag: Flag, isBulk: boolean): readonly FlagSource[] {
  return [
    ...(isBulk ? (['records'] as const) : []),
    ...(isOrganization(flag) ? (['settings'] as const) : []),
  ];
}

/** Whether a flag is the organization of a call, for which the settings have a default. */
export function isOrganization({ name, path, ofRecord }: Flag): boolean {
  return name === 'org' && path.length === 1 && !ofRecord;
}

/** Creates the definitions of a catalog flag for a command line, such as `--enable` and `--disable`. */
export function createFlagDefinitions(
  flag: Flag,
  { isBulk = false }: { readonly isBulk?: boolean } = {},
): OptionDefinition[] {
  const definitions = createDefinitions(flag, isBulk);
  if (!isBulk || isOfScope(flag)) return definitions;
  return definitions.map((definition) => ({ ...definition, section: 'record' }));
}

/** Whether a flag of a bulk command says where the records go. */
function isOfScope({ name, ofRecord }: Flag): boolean {
  return !ofRecord && /^(org|document|folder|group|create-.*)$/.test(name);
}

function createDefinitions(flag: Flag, isBulk: boolean): OptionDefinition[] {
  const { name, kind, off = `no-${name}`, description } = flag;
  if (kind === 'switch') return [{ flags: `--${name}`, description }];
  if (kind === 'boolean') {
    return [
      { flags: `--${name}`, description },
      { flags: `--${off}`, description: `opposite of --${name}`, negates: name },
    ];
  }
  if (kind === 'secret') {
    return [
      {
        flags: `--${name}-file <path>`,
        description: `file with the ${description}`,
        file: 'input',
      },
      { flags: `--${name}-stdin`, description: `read the ${description} from stdin` },
    ];
  }
  const placeholder =
    flag.value ??
    PLACEHOLDERS[kind] ??
    (/Ids?$|^id$|^apiKey$/.test(flag.path.at(-1) ?? '') ? 'id' : 'text');
  return [
    {
      flags: `--${name} <${placeholder}>`,
      description,
      ...(isRequired(flag) && { required: true, suppliedBy: sourcesOf(flag, isBulk) }),
      ...optionalProperty('choices', flag.choices),
      ...(REPEATABLE_KINDS.includes(kind) && { many: true }),
      // A field inside a record can be cleared.
      ...(flag.path.length > 1 && { mayBeEmpty: true }),
    },
  ];
}

const PLACEHOLDERS: Readonly<Partial<Record<FlagKind, string>>> = {
  number: 'n',
  map: 'key=value',
  switches: 'key=true',
  changes: 'field=from:to',
  entry: 'key=value,…',
  entries: 'key=value,…',
  json: 'json',
  time: 'time',
};
