import { SvcError } from '../kernel/errors.ts';
import { groupDigits } from '../kernel/plural.ts';
import type { ListSelection } from '../output/list-selection.ts';
import {
  type OptionDefinition,
  type OptionsOf,
  optionalProperty,
  parseWholeNumber,
} from './options.ts';

/** How a list ends without `--limit` and `--all`: after its only page, or after a number of records. */
export type ListEnd = 'complete' | 'page' | number;

const SORT_FLAG = {
  flags: '--sort <field>',
  description: "field to sort by, as JSON name or table header; '-' before it for descending",
} as const satisfies OptionDefinition;

const LIMIT_FLAG = {
  flags: '--limit <n>',
  description: 'maximum number of records',
} as const satisfies OptionDefinition;

export const ALL_FLAG = {
  flags: '--all',
  description: 'fetch all pages',
} as const satisfies OptionDefinition;

export const LIST_FLAGS = [SORT_FLAG, LIMIT_FLAG, ALL_FLAG] as const;

/** Creates the flags of a list; none without one. Help shows `--all` only if it changes the result. */
export function createListFlags(end: ListEnd | undefined): readonly OptionDefinition[] {
  if (end === undefined) return [];
  const isNumber = typeof end === 'number';
  return [
    SORT_FLAG,
    isNumber
      ? { ...LIMIT_FLAG, description: `${LIMIT_FLAG.description} (default: ${groupDigits(end)})` }
      : LIMIT_FLAG,
    {
      ...ALL_FLAG,
      ...(isNumber && { description: 'all records' }),
      ...(end === 'complete' && { isHidden: true as const }),
    },
  ];
}

export interface ListOptions extends ListSelection {
  readonly all: boolean;
}

/** @throws SvcError `usage` for invalid values */
export function parseListOptions({
  sort,
  limit,
  all = false,
}: OptionsOf<typeof LIST_FLAGS>): ListOptions {
  if (all && limit !== undefined)
    throw new SvcError('usage', '--all and --limit cannot be combined');
  const [, sign, field = ''] = /^(-?)(.*)$/s.exec(sort ?? '') ?? [];
  if (sort !== undefined && field === '')
    throw new SvcError('usage', `--sort must be a field or '-' and a field, got '${sort}'`);
  return {
    all,
    ...optionalProperty('limit', parseWholeNumber('--limit', limit, 1)),
    ...(field !== '' && { sort: { field, isDescending: sign === '-' } }),
  };
}

/** Whether the whole list has to be read to print the selected records. */
export function needsAll({ sort, all }: ListOptions): boolean {
  return all || sort !== undefined;
}
