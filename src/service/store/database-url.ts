import { SvcError } from '../../kernel/errors.ts';
import { findNearest } from '../../kernel/nearest.ts';

/** Hosts of a URL to use: only those that accept writes, those preferably (default), or all. */
export type HostRule = 'writable' | 'preferably_writable' | 'any';

const HOST_RULES: Readonly<Record<string, HostRule>> = {
  any: 'any',
  'read-write': 'writable',
  primary: 'writable',
};
const HOST_RULE_PARAMETER = 'target_session_attrs';

const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** Parameters of libpq in a URL that svc follows, or that change nothing for it. */
const PARAMETERS: ReadonlySet<string> = new Set([
  'application_name',
  'connect_timeout',
  'fallback_application_name',
  'host',
  'keepalives',
  'keepalives_count',
  'keepalives_idle',
  'keepalives_interval',
  'options',
  'port',
  'ssl',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslnegotiation',
  'sslrootcert',
  'target_session_attrs',
  'tcp_user_timeout',
  'user',
]);

/** Parameters whose values are whole numbers. */
const NUMBERS: ReadonlySet<string> = new Set([
  'connect_timeout',
  'keepalives',
  'keepalives_count',
  'keepalives_idle',
  'keepalives_interval',
  'tcp_user_timeout',
]);

/** Parameters of libpq that svc would ignore, although they change where or how it connects. */
const UNSUPPORTED: ReadonlySet<string> = new Set([
  'channel_binding',
  'client_encoding',
  'dbname',
  'gssdelegation',
  'gssencmode',
  'gsslib',
  'hostaddr',
  'krbsrvname',
  'load_balance_hosts',
  'max_protocol_version',
  'min_protocol_version',
  'passfile',
  'replication',
  'require_auth',
  'requirepeer',
  'requiressl',
  'scram_client_key',
  'scram_server_key',
  'service',
  'ssl_max_protocol_version',
  'ssl_min_protocol_version',
  'sslcertmode',
  'sslcompression',
  'sslcrl',
  'sslcrldir',
  'sslkeylogfile',
  'sslsni',
]);

/**
 * Checks the parameters of a database's URL, which must mean the same as for libpq.
 * @throws SvcError `usage` for a parameter that libpq rejects, or that svc does not support
 */
export function checkDatabaseParameters(url: string): void {
  const [, text = ''] = /\?([^#]*)/.exec(url) ?? [];
  for (const [name, value] of new URLSearchParams(text)) {
    if (name === 'sslmode' && !SSL_MODES.includes(value))
      throw new SvcError('usage', `--store: '${value}' is not an sslmode`, {
        hint: `use ${SSL_MODES.join(', ')}`,
      });
    if (name === 'ssl' && value !== 'true')
      throw new SvcError('usage', `--store: '${value}' is not a value of ssl`, {
        hint: 'use ssl=true, or sslmode',
      });
    if (name === HOST_RULE_PARAMETER && !Object.hasOwn(HOST_RULES, value))
      throw new SvcError('usage', `--store: svc does not support ${HOST_RULE_PARAMETER}=${value}`, {
        hint: `svc writes to its store: use ${Object.keys(HOST_RULES).join(', ')}`,
      });
    if (NUMBERS.has(name) && !/^\s*[-+]?\d+\s*$/.test(value))
      throw new SvcError('usage', `--store: ${name} must be a whole number, got '${value}'`);
    if (PARAMETERS.has(name)) continue;
    if (UNSUPPORTED.has(name))
      throw new SvcError('usage', `--store: svc does not support the parameter '${name}'`, {
        hint:
          name === 'dbname'
            ? 'put the database into the path: postgres://user@host/database'
            : 'remove it from the URL',
      });
    throw new SvcError('usage', `--store: unknown parameter '${name}'`, {
      hint: hintFor(name, value),
    });
  }
}

function hintFor(name: string, value: string): string {
  if (/^(?:schema|currentschema|search_path)$/i.test(name)) {
    const schema = encodeURIComponent(`-c search_path=${value}`);
    return `to use a schema, set its search_path: ?options=${schema}`;
  }
  const nearest = findNearest(name, PARAMETERS);
  return nearest === undefined
    ? 'the parameters are those of libpq, such as sslmode'
    : `did you mean '${nearest}'?`;
}

/** Returns the rule in the parameters of a URL that `checkDatabaseParameters` accepts. */
export function hostRuleOf(url: string): HostRule {
  const [, text = ''] = /\?([^#]*)/.exec(url) ?? [];
  const value = new URLSearchParams(text).get(HOST_RULE_PARAMETER);
  return (value !== null && HOST_RULES[value]) || 'preferably_writable';
}

/** Keywords with which a connection string of libpq starts: `dbname=svc host=db.example`. */
const CONNECTION_STRING =
  /^\s*(?:host|hostaddr|port|dbname|user|password|passfile|service|sslmode|application_name|options|connect_timeout)\s*=/i;
/** Matches `user@host:5432/database` and `host:5432/database`, which lack the scheme. */
const WITHOUT_SCHEME = /^(?:[^/\\\s@]+@)?[\w.-]+:\d{1,5}(?:\/|$)/;

/**
 * Whether a location is meant as a database, although it is not a URL that svc knows. As the name of
 * a file, it would be a store in a place that nobody expects.
 */
export function resemblesDatabase(location: string): boolean {
  return (
    CONNECTION_STRING.test(location) ||
    WITHOUT_SCHEME.test(location) ||
    // Also in capital letters. A drive of Windows has one letter, and no two slashes behind it.
    /^[\s"']*[a-z][a-z0-9+.-]+:\/\//i.test(location) ||
    /^(?:postgres(?:ql)?|pgsql|pg|jdbc|sqlite):/i.test(location) ||
    /^postgres(?:ql)?;?\/\//i.test(location)
  );
}

/**
 * Returns a URL for each host of a database's URL, in order: `postgres://user@one,two:5433/db` has
 * two.
 */
export function listHostUrls(url: string): readonly [string, ...string[]] {
  const parts = /^(postgres:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(url);
  if (!parts) return [url];
  const [, start = '', hosts = '', rest = ''] = parts;
  const [first = '', ...others] = hosts.split(',').map((host) => start + host + rest);
  return [first, ...others];
}
