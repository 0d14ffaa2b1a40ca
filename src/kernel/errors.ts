import { quoteForShell } from './quote-for-shell.ts';

/**
 * Kinds of failure, with exit codes that scripts rely on. `retryable`: the same command can safely
 * be run again.
 */
export const FAILURES = {
  bug: { exitCode: 1, retryable: false, meaning: 'a bug in svc' },
  usage: { exitCode: 2, retryable: false, meaning: 'invalid usage; nothing was sent' },
  invalid_input: { exitCode: 3, retryable: false, meaning: 'the input is not valid' },
  invalid_argument: { exitCode: 3, retryable: false, meaning: 'the service rejected the data' },
  already_exists: { exitCode: 3, retryable: false, meaning: 'the object already exists' },
  no_credential: { exitCode: 4, retryable: false, meaning: 'no credential is configured' },
  unauthenticated: {
    exitCode: 4,
    retryable: false,
    meaning: 'the service rejected the credential',
  },
  permission_denied: { exitCode: 4, retryable: false, meaning: 'the credential lacks permission' },
  approval_required: {
    exitCode: 4,
    retryable: false,
    meaning: 'the write needs an approval; nothing was sent',
  },
  read_only: {
    exitCode: 4,
    retryable: false,
    meaning: 'the target is read-only; nothing was sent',
  },
  not_found: { exitCode: 5, retryable: false, meaning: 'the object does not exist' },
  failed_precondition: {
    exitCode: 6,
    retryable: false,
    meaning: 'a feature is off, or the state of an object does not allow the request',
  },
  resource_exhausted: { exitCode: 7, retryable: true, meaning: 'still rate limited after waiting' },
  unreachable: {
    exitCode: 8,
    retryable: true,
    meaning: 'the service did not respond; nothing was applied',
  },
  invalid_response: {
    exitCode: 8,
    retryable: true,
    meaning: 'the response was invalid; nothing was applied',
  },
  outcome_unknown: {
    exitCode: 9,
    retryable: false,
    meaning: 'a write may or may not have been applied',
  },
  records_failed: { exitCode: 10, retryable: false, meaning: 'finished, but some records failed' },
  stopped: { exitCode: 11, retryable: true, meaning: 'stopped before finishing' },
  local: {
    exitCode: 12,
    retryable: false,
    meaning: 'a local file, the disk, or the output caused an error',
  },
  locked: { exitCode: 13, retryable: true, meaning: 'locked by another process' },
  verification_failed: {
    exitCode: 14,
    retryable: false,
    meaning: 'a webhook delivery failed verification',
  },
  stale_plan: { exitCode: 15, retryable: false, meaning: 'the plan is outdated; nothing was sent' },
  differs: {
    exitCode: 20,
    retryable: false,
    meaning: 'differences found (drift, or with --exit-code)',
  },
  unsupported_node: {
    exitCode: 78,
    retryable: false,
    meaning: 'this Node.js version is not supported',
  },
  hangup: { exitCode: 129, retryable: true, meaning: 'the terminal was closed' },
  interrupted: { exitCode: 130, retryable: true, meaning: 'stopped by Ctrl-C' },
  stdout_closed: {
    exitCode: 141,
    retryable: false,
    meaning: 'the reader of stdout closed the pipe',
  },
  terminated: { exitCode: 143, retryable: true, meaning: 'stopped by SIGTERM' },
} as const satisfies Record<string, { exitCode: number; retryable: boolean; meaning: string }>;

export type Failure = keyof typeof FAILURES;

export interface ErrorDetail {
  /** One line that tells the user how to proceed. Commands in a `Hint` are data. */
  readonly hint?: string | Hint;
  /** The service's own status code, shown in brackets after the message. */
  readonly status?: string;
  readonly retryable?: boolean;
  /** The service's `error.details` as sent: see `ServiceError`. */
  readonly details?: unknown;
  readonly cause?: unknown;
}

/** An expected failure: its kind, a one-line message, and at most one hint. */
export class SvcError extends Error {
  readonly failure: Failure;
  readonly #hint: string | Hint | undefined;
  readonly status: string | undefined;
  readonly retryable: boolean;
  readonly details: unknown;
  retries = 0;

  constructor(failure: Failure, message: string, detail: ErrorDetail = {}) {
    super(message, { cause: detail.cause });
    this.name = 'SvcError';
    this.failure = failure;
    this.#hint = detail.hint;
    this.status = detail.status;
    this.retryable = detail.retryable ?? FAILURES[failure].retryable;
    this.details = detail.details;
  }

  get hint(): string | undefined {
    return this.#hint instanceof Hint ? this.#hint.format() : this.#hint;
  }

  get structuredHint(): string | Hint | undefined {
    return this.#hint;
  }

  get next(): readonly NextStep[] {
    return this.#hint instanceof Hint ? this.#hint.steps : [];
  }

  /** Returns a copy with another message or hint. Keeps the failure, status, details, cause, and stack. */
  reworded(change: {
    readonly message?: string;
    readonly hint?: string | Hint | undefined;
  }): SvcError {
    const { message = this.message, hint = this.#hint } = change;
    const { cause, details, status, retryable, retries, stack } = this;
    const detail = { cause, details, retryable, ...(hint && { hint }), ...(status && { status }) };
    const copy = this.createSimilar(this.failure, message, detail);
    return Object.assign(copy, { retries, stack });
  }

  /** Creates an error of the same class. */
  createSimilar(failure: Failure, message: string, detail: ErrorDetail): SvcError {
    return new SvcError(failure, message, detail);
  }
}

/**
 * Ends svc with the exit code of a child command. Prints nothing: the command has already reported
 * its errors.
 */
export class CommandExit extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`a command exited with code ${exitCode}`);
    this.name = 'CommandExit';
    this.exitCode = exitCode;
  }
}

export const SIGNAL_FAILURES = {
  SIGINT: 'interrupted',
  SIGTERM: 'terminated',
  SIGHUP: 'hangup',
  SIGBREAK: 'interrupted',
} as const satisfies Record<string, Failure>;

/**
 * Returns the code of a failed system call (`ENOSPC`, `EACCES`, …); undefined for anything else.
 */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}

export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * Purpose of a suggested command.
 * - `help`: shows the usage of a command.
 * - `configure`: changes settings on this machine.
 * - `inspect`: shows local data. Like `help` and `configure`, it takes no flags that select a
 * service.
 * - `list`, `show`: read data from the service.
 * - `retry`: runs the same command again, or one that sends the failed records of a job.
 * - `resume`: continues a job.
 * - `change`: creates or changes data that the failed command requires.
 */
export type StepKind =
  | 'help'
  | 'configure'
  | 'inspect'
  | 'list'
  | 'show'
  | 'retry'
  | 'resume'
  | 'change';

export interface NextStep {
  readonly kind: StepKind;
  /** The words after `svc`, without the flags that select the service. */
  readonly command: readonly string[];
  readonly flags?: readonly string[];
  /** Text after the command for the user to replace: `<name>`. */
  readonly placeholder?: string;
}

/**
 * A hint that stores its commands as data, so that the caller can add the flags that select the
 * same service.
 */
export class Hint {
  readonly parts: readonly (string | NextStep)[];

  constructor(parts: readonly (string | NextStep)[]) {
    this.parts = parts;
  }

  get steps(): readonly NextStep[] {
    return this.parts.filter((part) => typeof part !== 'string');
  }

  format(commandOf: (step: NextStep) => string = commandLineOf): string {
    return this.parts.map((part) => (typeof part === 'string' ? part : commandOf(part))).join('');
  }

  reworded(change: (text: string) => string): Hint {
    return this.#map(change, (step) => ({
      ...step,
      command: step.command.map((word) => change(word)),
    }));
  }

  withSteps(change: (step: NextStep) => NextStep): Hint {
    return this.#map((text) => text, change);
  }

  #map(mapText: (text: string) => string, mapStep: (step: NextStep) => NextStep): Hint {
    return new Hint(
      this.parts.map((part) => (typeof part === 'string' ? mapText(part) : mapStep(part))),
    );
  }
}

/**
 * Template tag that creates a hint: hint`to list the jobs, run ${step('list', 'jobs', 'list')}`. Flattens
 * nested hints.
 */
export function hint(
  texts: TemplateStringsArray,
  ...values: readonly (string | NextStep | Hint)[]
): Hint {
  const parts: (string | NextStep)[] = [];
  for (const part of texts.flatMap((text, at) => [text, ...partsOf(values[at] ?? '')])) {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else parts.push(part);
  }
  return new Hint(parts);
}

function partsOf(value: string | NextStep | Hint): readonly (string | NextStep)[] {
  return value instanceof Hint ? value.parts : [value];
}

export function step(kind: StepKind, ...command: readonly string[]): NextStep {
  return { kind, command };
}

export function stepWithPlaceholder(
  kind: StepKind,
  command: readonly string[],
  placeholder: string,
): NextStep {
  return { kind, command, placeholder };
}

export function commandLineOf({ flags = [], command, placeholder }: NextStep): string {
  const words = ['svc', ...flags, ...command].map(quoteForShell);
  return [...words, ...(placeholder === undefined ? [] : [placeholder])].join(' ');
}
