import { groupByPath, manifest } from '../../catalog/manifest.ts';
import { commandLineOf, hint, SvcError, step } from '../../kernel/errors.ts';
import { findNearest } from '../../kernel/nearest.ts';
import type { Node } from '../definition.ts';
import { findChild } from '../tree/aliases.ts';
import { findNearestPath } from '../tree/nearest-path.ts';
import { TOPIC_NAMES } from './topic-names.ts';

interface HelpSubject {
  readonly topic: (typeof TOPIC_NAMES)[number] | undefined;
  readonly command: readonly string[] | undefined;
}

/**
 * Finds the subject of `svc help <words>`: a topic, a command, or both, if they have the same name.
 * Also accepts the path or name of an operation: `/v2/users/add`, `users.add`.
 * @throws SvcError `usage`
 */
export function findHelpSubject(root: Node, words: readonly string[]): HelpSubject {
  const [first = '', ...others] = words;
  if (first === 'help') return findHelpSubject(root, others);
  const topic = words.length === 1 ? TOPIC_NAMES.find((name) => name === first) : undefined;
  if (first.startsWith('/') || (words.length === 1 && first.includes('.')))
    return { topic, command: commandOfOperation(first) };
  if (topic !== undefined && !root.children.has(topic)) return { topic, command: undefined };
  let node = root;
  for (const word of words) {
    const child = findChild(node, word);
    if (!child) {
      throw createUnknownNameError(
        `unknown command or topic '${words.join(' ')}'`,
        findNearestPath(root, words, [...TOPIC_NAMES, 'help']),
      );
    }
    node = child;
  }
  return { topic, command: words };
}

function commandOfOperation(named: string): readonly string[] {
  const path = named.replace(/\/$/, '');
  const operation = groupByPath().get(path)?.[0] ?? manifest.find(({ name }) => name === named);
  if (operation) return operation.command;
  const known = manifest.map((entry) => (named.startsWith('/') ? entry.path : entry.name));
  const nearest = findNearest(named, known);
  throw createUnknownNameError(
    `unknown operation '${named}'`,
    nearest === undefined ? [] : [nearest],
  );
}

/** @param nearest words after `svc help` that the user may have meant */
function createUnknownNameError(message: string, nearest: readonly string[]): SvcError {
  return new SvcError('usage', message, {
    hint:
      nearest.length === 0
        ? hint`to list the commands and topics, run ${step('help', 'help')}`
        : `did you mean '${commandLineOf(step('help', 'help', ...nearest))}'?`,
  });
}
