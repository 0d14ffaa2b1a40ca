import { isVocabularyWord } from './vocabulary.ts';

const VALUE = '<value>';

const PUNCTUATION = /^([("'[`{]*)(.*?)([.,:;!?)"'\]`}]*)$/su;

/**
 * Replaces everything in a message that may be a value: the values of the request, and each word
 * that is neither in the vocabulary nor a field of the operation.
 */
export function createMessageTemplate(
  message: string,
  fields: ReadonlySet<string>,
  requestValues: ReadonlySet<string>,
): string {
  const words = withoutValues(message, requestValues)
    .split(/\s+/)
    .map((word) => {
      const [, open = '', core = '', close = ''] = PUNCTUATION.exec(word) ?? [];
      if (core === '' || core === VALUE) return word;
      return open + (isKnown(core, fields) ? core : VALUE) + close;
    });
  const kept = words.filter((word, at) => word !== VALUE || words[at - 1] !== VALUE);
  return kept.slice(0, MAX_WORDS).join(' ');
}

const MAX_WORDS = 40;

function withoutValues(message: string, values: ReadonlySet<string>): string {
  const found = [...values]
    .filter((value) => value.length > 1 && message.includes(value))
    .toSorted((a, b) => b.length - a.length);
  return found.reduce((text, value) => text.replaceAll(value, VALUE), message);
}

/** Whether a word is in the vocabulary, or a path of fields such as `users.userId`. */
function isKnown(word: string, fields: ReadonlySet<string>): boolean {
  if (isVocabularyWord(word.replace('(s', '')) || fields.has(word)) return true;
  const parts = word.split('.');
  return parts.length > 1 && parts.every((part) => fields.has(part));
}
