import { manifest } from '../../catalog/manifest.ts';
import { SvcError } from '../../kernel/errors.ts';
import { nearest } from '../../kernel/nearest.ts';
import type { Node } from '../definition.ts';
import { TOPIC_NAMES, type TopicName } from './topic-names.ts';

/** What `svc help <words>` is about: a topic, a command with the words that call it, or both under one name. */
export interface Subject {
  readonly topic: TopicName | undefined;
  /** Absent for a topic that is no command. */
  readonly command: readonly string[] | undefined;
}

/**
 * Finds a topic, a command, or the command of an operation by its path or name: `/v2/users/add`, `users.add`.
 * @throws SvcError `usage` with the nearest name
 */
export function findSubject(root: Node, words: readonly string[]): Subject {
  const [first = ''] = words;
  const topic = words.length === 1 ? TOPIC_NAMES.find((name) => name === first) : undefined;
  if (first.startsWith('/') || (words.length === 1 && first.includes('.'))) {
    return { topic, command: commandOfOperation(first) };
  }
  if (topic !== undefined && !root.children.has(topic)) return { topic, command: undefined };
  let node = root;
  for (const word of words) {
    const child = node.children.get(word);
    if (!child) {
      throw unknown(`there is no help on '${words.join(' ')}'`, word, [
        ...node.children.keys(),
        ...(node === root ? TOPIC_NAMES : []),
      ]);
    }
    node = child;
  }
  return { topic, command: words };
}

function commandOfOperation(named: string): readonly string[] {
  const path = named.replace(/\/$/, '');
  const operation = manifest.find((entry) => entry.path === path || entry.name === named);
  if (operation) return operation.command;
  const known = manifest.map((entry) => (named.startsWith('/') ? entry.path : entry.name));
  throw unknown(`no operation is called '${named}'`, named, known);
}

/** There are too many names to list them all where none is near. */
function unknown(message: string, named: string, known: readonly string[]): SvcError {
  const near = nearest(named, known);
  return new SvcError('usage', message, {
    hint: near ? `did you mean '${near}'?` : 'svc help lists the commands and topics',
  });
}
