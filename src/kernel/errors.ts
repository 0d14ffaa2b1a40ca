import { Hint, type NextStep } from './hint.ts';

/**
 * Every way a run can fail, with the exit code that scripts rely on and whether the same command may simply be
 * run again. The one table: help, docs, JSON errors and `main.ts` all read it.
 */
export const FAILURES = {
  bug: { exitCode: 1, retryable: false, meaning: 'a bug in svc' },
  usage: { exitCode: 2, retryable: false, meaning: 'wrong usage; nothing was sent' },
  bad_data: { exitCode: 3, retryable: false, meaning: 'the input is not valid' },
  invalid_argument: { exitCode: 3, retryable: false, meaning: 'the service refused the data' },
  already_exists: { exitCode: 3, retryable: false, meaning: 'it exists already' },
  no_credential: { exitCode: 4, retryable: false, meaning: 'no credential is configured' },
  unauthenticated: { exitCode: 4, retryable: false, meaning: 'the credential was refused' },
  permission_denied: { exitCode: 4, retryable: false, meaning: 'the credential may not do this' },
  not_found: { exitCode: 5, retryable: false, meaning: 'it does not exist' },
  failed_precondition: { exitCode: 6, retryable: false, meaning: 'a feature has to be enabled first' },
  resource_exhausted: { exitCode: 7, retryable: true, meaning: 'rate limited, also after waiting' },
  unreachable: { exitCode: 8, retryable: true, meaning: 'the service did not answer; nothing was applied' },
  unusable_answer: { exitCode: 8, retryable: true, meaning: 'the answer makes no sense; nothing was applied' },
  outcome_unknown: { exitCode: 9, retryable: false, meaning: 'a write may or may not have been applied' },
  some_failed: { exitCode: 10, retryable: false, meaning: 'finished, and some items failed' },
  stopped: { exitCode: 11, retryable: true, meaning: 'stopped before the end' },
  local: { exitCode: 12, retryable: false, meaning: 'local files, the disk or the output failed' },
  locked: { exitCode: 13, retryable: true, meaning: 'locked by another process' },
  verification_failed: { exitCode: 14, retryable: false, meaning: 'a webhook delivery did not verify' },
  differs: { exitCode: 20, retryable: false, meaning: 'there are differences (asked for with --exit-code)' },
  unsupported_node: { exitCode: 78, retryable: false, meaning: 'this Node.js is too old' },
  hangup: { exitCode: 129, retryable: true, meaning: 'the terminal went away' },
  interrupted: { exitCode: 130, retryable: true, meaning: 'stopped with Ctrl-C' },
  reader_gone: { exitCode: 141, retryable: false, meaning: 'the reader of stdout left' },
  terminated: { exitCode: 143, retryable: true, meaning: 'stopped by SIGTERM' },
} as const satisfies Record<string, { exitCode: number; retryable: boolean; meaning: string }>;

export type Failure = keyof typeof FAILURES;

export interface ErrorDetail {
  /** One line: what the user can do next. Commands in it are data: see `Hint`. */
  readonly hint?: string | Hint;
  /** The service's own status word, shown in brackets behind the message. */
  readonly status?: string;
  /** Whether the same command may simply be run again, where that is not as for others of this kind. */
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/** The one error that svc throws on purpose: a kind, a message of one line and at most one hint. */
export class SvcError extends Error {
  readonly failure: Failure;
  readonly #hint: string | Hint | undefined;
  readonly status: string | undefined;
  /** Whether the same command may simply be run again. */
  readonly retryable: boolean;
  /** How often the call behind it was repeated before it was given up. */
  retries = 0;

  constructor(failure: Failure, message: string, detail: ErrorDetail = {}) {
    super(message, { cause: detail.cause });
    this.name = 'SvcError';
    this.failure = failure;
    this.#hint = detail.hint;
    this.status = detail.status;
    this.retryable = detail.retryable ?? FAILURES[failure].retryable;
  }

  /** The text of the hint. */
  get hint(): string | undefined {
    return this.#hint instanceof Hint ? this.#hint.text() : this.#hint;
  }

  /** The hint as it was given, with its commands as data. */
  get richHint(): string | Hint | undefined {
    return this.#hint;
  }

  /** The commands that the hint names. */
  get next(): readonly NextStep[] {
    return this.#hint instanceof Hint ? this.#hint.steps : [];
  }

  /** The same failure in other words or with another hint; its status, its cause and where it came from stay. */
  told({
    message = this.message,
    hint = this.#hint,
  }: {
    message?: string;
    hint?: string | Hint | undefined;
  }): SvcError {
    const { cause, status, retryable, retries, stack } = this;
    const told = new SvcError(this.failure, message, {
      ...{ cause, retryable },
      ...(hint && { hint }),
      ...(status && { status }),
    });
    return Object.assign(told, { retries, stack });
  }
}

/** The end of a run that takes over the exit code of a command it ran. Nothing is said about it: the command has spoken. */
export class CommandExit extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`a command ended with ${exitCode}`);
    this.name = 'CommandExit';
    this.exitCode = exitCode;
  }
}

/** The failure that a signal stands for. */
export const SIGNAL_FAILURES = {
  SIGINT: 'interrupted',
  SIGTERM: 'terminated',
  SIGHUP: 'hangup',
  /** Ctrl-Break of Windows; no other system has it. */
  SIGBREAK: 'interrupted',
} as const satisfies Record<string, Failure>;

/** `ENOSPC`, `EACCES`, … of a failed system call; undefined for anything else. */
export function systemErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What was thrown, in its own words. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
