import { userInfo } from 'node:os';
import type { Environment } from './folders.ts';
import { redactUrls } from './redact-urls.ts';
import { parseTraceParent } from './trace-parent.ts';

/** Origin of a command, as far as this machine and its environment name it. */
export interface Attribution {
  /** Name of the user on this machine. */
  readonly user: string | null;
  /** Name that an AI agent gives itself in the environment. */
  readonly agent: string | null;
  /** Address of the run in CI. */
  readonly ci: string | null;
  /** ID of the trace that the command belongs to. */
  readonly trace: string | null;
}

/** Variables in which agents name themselves. */
const AGENT_VARIABLES = ['AI_AGENT', 'AGENT'] as const;
const MAX_LENGTH = 100;
const MAX_URL_LENGTH = 500;

export function readAttribution(environment: Environment): Attribution {
  const agent = AGENT_VARIABLES.map((name) => environment[name]).find(Boolean);
  return {
    user: readUserName(),
    agent: agent?.slice(0, MAX_LENGTH) ?? null,
    ci: readRunAddress(environment),
    trace: parseTraceParent(environment['TRACEPARENT'])?.traceId ?? null,
  };
}

function readUserName(): string | null {
  try {
    return userInfo().username.slice(0, MAX_LENGTH);
  } catch {
    return null; // the user has no entry in the system
  }
}

function readRunAddress(environment: Environment): string | null {
  const {
    GITHUB_SERVER_URL: server,
    GITHUB_REPOSITORY: repository,
    GITHUB_RUN_ID: run,
    CI_JOB_URL: job,
    BUILD_URL: build,
  } = environment;
  const address = server && repository && run ? `${server}/${repository}/actions/runs/${run}` : '';
  const url = URL.parse(address || job || build || '');
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  return redactUrls(url.href).slice(0, MAX_URL_LENGTH);
}
