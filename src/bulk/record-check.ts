import type { FileDiagnostic } from './diagnostic.ts';
import { readIdentifiedRecords } from './duplicates.ts';
import type { InputFile } from './input-file.ts';
import { type RecordCheck, RecordChecker, type RecordListener, type RecordRules } from './record-checker.ts';
import type { RecordInput } from './record-input.ts';
import { InputError } from './source/source.ts';

/** Reads an input for the first time and checks every record. An error that hides the rest of a file comes last. */
export async function checkRecords(
  input: RecordInput,
  rules: RecordRules,
  signal: AbortSignal,
  onRecord?: RecordListener,
): Promise<RecordCheck> {
  const findings = streamDiagnostics(input, rules, signal, onRecord);
  for (;;) {
    const { value, done } = await findings.next();
    if (done) return value;
  }
}

/** Checks an input and yields its diagnostics as they are found, in the order of the input, with duplicates last. */
export async function* streamDiagnostics(
  input: RecordInput,
  rules: RecordRules,
  signal: AbortSignal,
  onRecord?: RecordListener,
): AsyncGenerator<readonly FileDiagnostic[], RecordCheck> {
  const checker = new RecordChecker(rules, onRecord);
  for (const file of input.files) yield* checkFile(file, checker, signal);
  if (!checker.isIncomplete && checker.read > 0) input.requireMappedFields();
  // The spool of a pipe that was not read to its end cannot be read again.
  const files = input.files.filter(({ spooled }, at) => !spooled || checker.files[at]?.identity !== undefined);
  await checker.resolveDuplicates(() => readIdentifiedRecords(files, rules));
  const diagnostics = checker.takeDiagnostics();
  if (diagnostics.length > 0) yield diagnostics;
  return checker;
}

async function* checkFile(
  file: InputFile,
  checker: RecordChecker,
  signal: AbortSignal,
): AsyncGenerator<readonly FileDiagnostic[], void> {
  const fileCheck = checker.startFile(file.name);
  try {
    const source = await file.open((warning) => checker.warn(warning));
    const check = checker.createFileChecker(source, fileCheck);
    for await (const records of source.recordChunks) {
      signal.throwIfAborted();
      check(records);
      const diagnostics = checker.takeDiagnostics();
      if (diagnostics.length > 0) yield diagnostics;
    }
    checker.endFile();
    fileCheck.preamble = source.preamble();
    fileCheck.identity = file.fingerprint();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    checker.endFile(error);
  }
  const diagnostics = checker.takeDiagnostics();
  if (diagnostics.length > 0) yield diagnostics;
}
