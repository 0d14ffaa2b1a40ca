import { type FlagSource, longName, type OptionDefinition } from '../options.ts';
import { type HelpRow, splitDefault } from './blocks.ts';

/** Spaces in place of a short flag, such as `-o, `. */
const NO_SHORT_FLAG = '    ';

/**
 * Describes flags for readers: the facts about a flag are derived from its definition. A flag and
 * its negation share a row. Omits hidden flags.
 */
export function createFlagRows(flags: readonly OptionDefinition[]): readonly HelpRow[] {
  return flags
    .filter(({ negates, isHidden }) => negates === undefined && isHidden !== true)
    .map((flag) => {
      const negation = flags.find(({ negates }) => negates === longName(flag));
      return { term: formatTerm(flag, negation), ...describeValue(flag) };
    });
}

function formatTerm(flag: OptionDefinition, negation: OptionDefinition | undefined): string {
  if (!negation) return flag.flags;
  const name = longName(flag);
  return flag.flags === `--${name}` && negation.flags === `--no-${name}`
    ? `--[no-]${name}`
    : `${flag.flags}, ${negation.flags}`;
}

/** Returns the explanation of a flag with its notes. */
export function describeFlagRow({ text, notes = [] }: HelpRow): string {
  return [text, ...notes].join(' ');
}

/** Indents the terms of flags without a short form, so that long flags are aligned. */
export function alignLongFlags(rows: readonly HelpRow[]): readonly HelpRow[] {
  return rows.map((row) => ({
    ...row,
    term: row.term.startsWith('--') ? NO_SHORT_FLAG + row.term : row.term,
  }));
}

function describeValue(flag: OptionDefinition): Required<Pick<HelpRow, 'text' | 'notes'>> {
  const { description, choices, required = false, suppliedBy = [], many } = flag;
  const { text, notes } = splitDefault(description);
  const isRequired = required && suppliedBy.length === 0;
  const supplied = required && suppliedBy.length > 0 ? [defaultFrom(suppliedBy)] : [];
  return {
    text: `${choices ? `${text}: ${choices.join(', ')}` : text}${isRequired ? ' (required)' : ''}`,
    notes: [...notes, ...supplied, ...(many ? ['(repeatable)'] : [])],
  };
}

const SOURCES: { readonly [Source in FlagSource]: string } = {
  records: 'the records',
  settings: 'SVC_ORG, .svc.json, or the profile',
};

function defaultFrom(sources: readonly FlagSource[]): string {
  return `(default: from ${sources.map((source) => SOURCES[source]).join(', ')})`;
}
