import type { InputFormat, Source } from './source/source.ts';

/** The format of a rejects file. */
export interface RejectsFormat extends Pick<Source, 'format' | 'preamble'> {
  /** Base for the file's name if no path is given. */
  readonly name: string;
  /** Whether records are converted to NDJSON instead of keeping their source text. */
  readonly isAnew: boolean;
}

/** An input file that rejects can come from. */
interface RejectsSource {
  readonly name: string;
  readonly format: InputFormat;
  readonly preamble: string;
}

/** Chooses the format of the input files if they share one, and NDJSON otherwise. */
export function chooseRejectsFormat(files: readonly RejectsSource[], otherwise: string): RejectsFormat {
  const [first, ...others] = files;
  if (!first) throw new TypeError('at least one input file is required');
  const name = others.length === 0 ? first.name : otherwise;
  const { format, preamble } = first;
  const isAlike = others.every((other) => other.format === format && other.preamble === preamble);
  if (!isAlike) return { name, format: 'ndjson', preamble: () => '', isAnew: true };
  return { name, format, preamble: () => preamble, isAnew: false };
}
