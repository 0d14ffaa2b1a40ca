import type { InputFormat, Source } from './source/record.ts';

/** What a file of rejects looks like. */
export interface RejectsForm extends Pick<Source, 'format' | 'preamble'> {
  /** What it is named after, where no path is given. */
  readonly name: string;
  /** The records are written as JSON, a line each, instead of as they stand in the input. */
  readonly isAnew: boolean;
}

/** A file that records of the rejects are from. */
interface Origin {
  readonly name: string;
  readonly format: InputFormat;
  readonly preamble: string;
}

/** The form of the files themselves where they have one and the same, and NDJSON where they differ. */
export function rejectsForm(files: readonly Origin[], otherwise: string): RejectsForm {
  const [first, ...others] = files;
  if (!first) throw new TypeError('there is no input');
  const name = others.length === 0 ? first.name : otherwise;
  const { format, preamble } = first;
  const isAlike = others.every((other) => other.format === format && other.preamble === preamble);
  if (!isAlike) return { name, format: 'ndjson', preamble: () => '', isAnew: true };
  return { name, format, preamble: () => preamble, isAnew: false };
}
