import { findJsonProblem, type JsonProblem, locateJsonProblem } from '../../kernel/json-problem.ts';
import { InputError, type Position, positionWithin } from './source.ts';

/**
 * Parses JSON text that starts at `position` in the input.
 * @throws SvcError `invalid_input`, with the line and column, if the text is not valid JSON, is nested
 * too deeply, or contains a number that is too large or a whole number that would lose precision
 */
export function parseJson(text: string, name: string, position: Position): unknown {
  const createInputError = ({ offset, problem, hint }: JsonProblem) =>
    new InputError(name, positionWithin(text, offset, position), problem, hint);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw createInputError(locateJsonProblem(text) ?? { offset: 0, problem: 'not valid JSON' });
  }
  const problem = findJsonProblem(value, text);
  if (problem) throw createInputError(problem);
  return value;
}
