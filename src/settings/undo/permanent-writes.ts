import { formatNounCount } from '../../kernel/plural.ts';
import type { MadeChanges } from '../execute/item-states.ts';

/**
 * Sentences about writes of bulk operations that cannot be undone, by the end of the operation's
 * name.
 */
const PERMANENT_OPERATIONS: readonly (readonly [ending: RegExp, sentence: string])[] = [
  [/^notifications\./, 'notifications cannot be recalled'],
  [/^documents\.migrate/, 'a migration cannot be reverted'],
  [/\.add(-users)?(\.v2)?$/, 'records that the job created stay'],
];

/**
 * Describes the writes of a bulk job that cannot be undone.
 * @param hasImages whether the job saved replaced values
 */
export function describePermanentOperation(
  operation: string,
  hasImages: boolean,
): readonly string[] {
  const known = PERMANENT_OPERATIONS.find(([ending]) => ending.test(operation));
  if (known) return [known[1]];
  return hasImages ? [] : [`the values that ${operation} replaced are unknown`];
}

export function describePermanentChanges({ changes, users }: MadeChanges): readonly string[] {
  const created = changes.filter(({ sign }) => sign === '+').length;
  const sent = changes.filter(({ sign }) => sign === '>').length + users;
  return [
    ...(created > 0
      ? [`${formatNounCount(created, 'record')} that the job created: creations are not undone`]
      : []),
    ...(sent > 0
      ? [`${formatNounCount(sent, 'record')} that the job sent: earlier values cannot be read`]
      : []),
    ...changes
      .filter(({ sign }) => sign === '-/+')
      .map(
        ({ id }) =>
          `endpoint ${id}: it was replaced, and its earlier ID and signing secret are lost`,
      ),
  ];
}
