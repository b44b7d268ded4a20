import { DEFAULT_ADDRESSES } from '@granary/contract/endpoints/declaration/groups';
import { PRESET_KEY_LENGTH_MIN } from '@granary/core/keys';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Settings {
  readonly httpHost: string;
  readonly httpPort: number;
  readonly httpConnectionsMax: number;
  readonly httpConnectionsPerAddressMax: number;
  readonly httpHeadersTimeoutS: number;
  readonly httpRequestTimeoutS: number;
  readonly siloSegment: string;
  readonly fieldSegment: string;
  readonly sandboxPath: string;
  readonly mqttHost: string;
  readonly mqttPort: number;
  readonly databaseUrl: string | null;
  readonly dataDir: string;
  readonly adminKey: string | null;
  /** Requests per second and key; `null` means no limit. */
  readonly rateLimit: number | null;
  readonly rawRetentionDays: number;
  readonly fiveMinuteRetentionDays: number;
  readonly eventRetentionDays: number;
  /** How long operations, commands and missions are kept after their end. */
  readonly jobRetentionDays: number;
  /** How long alerts are kept after they were resolved. */
  readonly alertRetentionDays: number;
  readonly logLevel: LogLevel;
}

export class SettingsError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`the settings are not usable: ${faults.join('; ')}`);
    this.name = 'SettingsError';
    this.faults = faults;
  }
}

type Env = Readonly<Record<string, string | undefined>>;
type Parse<T> = (text: string) => T | Error;

/** Variables with the same prefix that belong to the command line or to the tests. */
const FOREIGN = /^GRANARY_(API_KEY|URL|TEST_.*)$/;

/** Reads every setting once and reports all faults together. */
export function readSettings(env: Env): Settings {
  const faults: string[] = [];
  const known = new Set<string>();
  function read<T>(name: string, fallback: T, parse: Parse<T>): T {
    known.add(name);
    const text = env[name];
    if (text === undefined || text === '') return fallback;
    const value = parse(text);
    if (!(value instanceof Error)) return value;
    faults.push(`${name} ${value.message}`);
    return fallback;
  }
  const settings: Settings = {
    httpHost: read('GRANARY_HTTP_HOST', '127.0.0.1', asText),
    httpPort: read('GRANARY_HTTP_PORT', 8080, asPort),
    httpConnectionsMax: read('GRANARY_HTTP_CONNECTIONS_MAX', 4_096, asCount),
    httpConnectionsPerAddressMax: read('GRANARY_HTTP_CONNECTIONS_PER_ADDRESS_MAX', 1_024, asCount),
    httpHeadersTimeoutS: read('GRANARY_HTTP_HEADERS_TIMEOUT_S', 10, asSeconds),
    httpRequestTimeoutS: read('GRANARY_HTTP_REQUEST_TIMEOUT_S', 30, asSeconds),
    siloSegment: read('GRANARY_SILO_SEGMENT', DEFAULT_ADDRESSES.siloSegment, asSegment),
    fieldSegment: read('GRANARY_FIELD_SEGMENT', DEFAULT_ADDRESSES.fieldSegment, asSegment),
    sandboxPath: read('GRANARY_SANDBOX_PATH', DEFAULT_ADDRESSES.sandboxPath, asSandboxPath),
    mqttHost: read('GRANARY_MQTT_HOST', '127.0.0.1', asText),
    mqttPort: read('GRANARY_MQTT_PORT', 1883, asPort),
    databaseUrl: read<string | null>('GRANARY_DATABASE_URL', null, asDatabaseUrl),
    dataDir: read('GRANARY_DATA_DIR', '.granary', asText),
    adminKey: read<string | null>('GRANARY_ADMIN_KEY', null, asKey),
    rateLimit: read<number | null>('GRANARY_RATE_LIMIT', 100, asRateLimit),
    rawRetentionDays: read('GRANARY_RETENTION_RAW_DAYS', 30, asDays),
    fiveMinuteRetentionDays: read('GRANARY_RETENTION_5M_DAYS', 730, asDays),
    eventRetentionDays: read('GRANARY_RETENTION_EVENTS_DAYS', 90, asDays),
    jobRetentionDays: read('GRANARY_RETENTION_JOBS_DAYS', 365, asDays),
    alertRetentionDays: read('GRANARY_RETENTION_ALERTS_DAYS', 365, asDays),
    logLevel: read('GRANARY_LOG_LEVEL', 'info', asLogLevel),
  };
  if (settings.httpHeadersTimeoutS > settings.httpRequestTimeoutS) {
    faults.push('GRANARY_HTTP_HEADERS_TIMEOUT_S must not be above GRANARY_HTTP_REQUEST_TIMEOUT_S');
  }
  if (settings.siloSegment === settings.fieldSegment) {
    faults.push('GRANARY_SILO_SEGMENT and GRANARY_FIELD_SEGMENT must differ');
  }
  for (const name of Object.keys(env)) {
    if (name.startsWith('GRANARY_') && !known.has(name) && !FOREIGN.test(name)) {
      faults.push(`${name} is not a setting of this version`);
    }
  }
  if (faults.length > 0) throw new SettingsError(faults);
  return Object.freeze(settings);
}

const asText: Parse<string> = (text) => text;

const RESERVED_SEGMENTS = [
  ...['keys', 'events', 'webhooks'],
  ...['devices', 'alerts', 'operations', 'commands', 'missions', 'overview'],
];

function asSegment(text: string): string | Error {
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(text)) {
    return new Error('must be one path segment of lower-case letters, digits, - and _');
  }
  return RESERVED_SEGMENTS.includes(text)
    ? new Error(`must not be ${text}, which has a meaning of its own`)
    : text;
}

const RESERVED_PATHS = /^\/(v1|livez|readyz|metrics|docs|openapi\.json|asyncapi\.json)(\/|$)/;

function asSandboxPath(text: string): string | Error {
  if (!/^(\/[a-z0-9][a-z0-9._-]*)+$/.test(text)) {
    return new Error('must be a path such as /sandbox, of lower-case letters, digits, ., - and _');
  }
  return RESERVED_PATHS.test(text) ? new Error('must not lie where the service itself is') : text;
}

function asPort(text: string): number | Error {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535
    ? Number(text)
    : new Error(`must be a port from 0 to 65535, not "${text}"`);
}

function asCount(text: string): number | Error {
  return /^\d{1,6}$/.test(text) && Number(text) >= 1
    ? Number(text)
    : new Error(`must be a whole number from 1 to 999999, not "${text}"`);
}

function asSeconds(text: string): number | Error {
  return /^\d{1,4}$/.test(text) && Number(text) >= 1
    ? Number(text)
    : new Error(`must be a whole number of seconds from 1 to 9999, not "${text}"`);
}

function asDays(text: string): number | Error {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1
    ? Number(text)
    : new Error(`must be a whole number of days from 1 to 99999, not "${text}"`);
}

function asRateLimit(text: string): number | null | Error {
  if (text === 'off') return null;
  const limit = Number(text);
  return Number.isFinite(limit) && limit > 0
    ? limit
    : new Error(`must be "off" or a number of requests per second above 0, not "${text}"`);
}

/** The text may contain a password, so the message never repeats it. */
function asDatabaseUrl(text: string): string | Error {
  return /^postgres(ql)?:\/\/\S+$/.test(text) && URL.canParse(text)
    ? text
    : new Error('must be a postgres:// address');
}

function asKey(text: string): string | Error {
  if (text.length < PRESET_KEY_LENGTH_MIN)
    return new Error(`must have at least ${PRESET_KEY_LENGTH_MIN} characters`);
  return /^[\x21-\x7e]+$/.test(text) ? text : new Error('must be printable ASCII without spaces');
}

function asLogLevel(text: string): LogLevel | Error {
  return (
    LOG_LEVELS.find((level) => level === text) ??
    new Error(`must be one of ${LOG_LEVELS.join(', ')}, not "${text}"`)
  );
}
