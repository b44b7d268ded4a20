import { isTimeZone } from '@granary/common/time-zone';
import { ALL_ENDPOINTS } from '@granary/contract/endpoints/endpoints';
import { EMAIL_PATTERN } from '@granary/contract/notifications';
import { HOUR_MS, MINUTE_MS } from '@granary/contract/time';
import { PRESET_KEY_LENGTH_MIN } from '@granary/core/keys';
import { type BrokerAccess, parseBrokerUrl } from '@granary/link/external/connection/broker-address';
import { readSubnet, type Subnet } from './address-list.ts';

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
const firstSegments = (group: 'api' | 'service'): string[] =>
  ALL_ENDPOINTS.filter(({ endpoint }) => endpoint.group === group).map(
    ({ endpoint }) => endpoint.path.split('/')[1] ?? '',
  );

/** The names below `/v1` that a setting must not use. The questions of an external broker are among them, although they are not published. */
const RESERVED_SEGMENTS: ReadonlySet<string> = new Set([...firstSegments('api'), 'broker']);
/** The paths that a setting must not use. The device link over WebSockets is among them, although it is not a request. */
const RESERVED_PATHS: ReadonlySet<string> = new Set([...firstSegments('service'), 'v1', 'mqtt']);
const CONNECTIONS_MIN = 2;
const CONNECTIONS_MAX = 200;
const THREADS_MAX = 8;
const BROKER_ACCESSES = ['manual', 'dynamic-security', 'http'] as const;
const LOG_FORMATS = ['auto', 'json', 'text'] as const;
const METRICS_ACCESS = ['off', 'open', 'key'] as const;
const PORTS = { 'smtp:': 587, 'smtps:': 465 } as const;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const ADDRESS = new RegExp(EMAIL_PATTERN, 'u');

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Reads the text of a setting; the message of an error follows the name of the setting. */
export type Parse<T> = (text: string) => T | Error;

export const asText: Parse<string> = (text) => text;

export function asSegment(text: string): string | Error {
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(text)) {
    return new Error('must be one path segment of lower-case letters, digits, - and _');
  }
  return RESERVED_SEGMENTS.has(text)
    ? new Error(`must not be ${text}, which has a meaning of its own`)
    : text;
}

export function asSandboxPath(text: string): string | Error {
  if (!/^(\/[a-z0-9][a-z0-9._-]*)+$/.test(text)) {
    return new Error('must be a path such as /sandbox, of lower-case letters, digits, ., - and _');
  }
  return RESERVED_PATHS.has(text.split('/')[1] ?? '')
    ? new Error('must not lie where the service itself is')
    : text;
}

export function asSubnets(text: string): readonly Subnet[] | Error {
  const subnets: Subnet[] = [];
  for (const entry of text.split(',')) {
    const subnet = readSubnet(entry.trim());
    if (subnet === null) {
      return new Error(
        `must be addresses and networks such as 10.0.0.5, 10.1.0.0/16, ::1, separated by commas, not "${entry.trim()}"`,
      );
    }
    subnets.push(subnet);
  }
  return subnets;
}

export function asPortOrOff(text: string): number | null | Error {
  if (text === 'off') return null;
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535
    ? Number(text)
    : new Error(`must be "off" or a port from 0 to 65535, not "${text}"`);
}

export function asCount(text: string): number | Error {
  return /^\d{1,6}$/.test(text) && Number(text) >= 1
    ? Number(text)
    : new Error(`must be a whole number from 1 to 999999, not "${text}"`);
}

export function asConnections(text: string): number | Error {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return count >= CONNECTIONS_MIN && count <= CONNECTIONS_MAX
    ? count
    : new Error(`must be a whole number from ${CONNECTIONS_MIN} to ${CONNECTIONS_MAX}, not "${text}"`);
}

export function asThreads(text: string): number | Error {
  return /^\d$/.test(text) && Number(text) <= THREADS_MAX
    ? Number(text)
    : new Error(`must be a whole number from 0 to ${THREADS_MAX}, not "${text}"`);
}

export function asSeconds(text: string): number | Error {
  return /^\d{1,4}$/.test(text) && Number(text) >= 1
    ? Number(text)
    : new Error(`must be a whole number of seconds from 1 to 9999, not "${text}"`);
}

export function asDays(text: string): number | Error {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1
    ? Number(text)
    : new Error(`must be a whole number of days from 1 to 99999, not "${text}"`);
}

export function asDaysOrOff(text: string): number | null | Error {
  if (text === 'off') return null;
  const days = asDays(text);
  return days instanceof Error
    ? new Error(`must be "off" or ${days.message.slice('must be '.length)}`)
    : days;
}

export function asHours(text: string): number | Error {
  return /^\d{1,4}$/.test(text) && Number(text) >= 1
    ? Number(text)
    : new Error(`must be a whole number of hours from 1 to 9999, not "${text}"`);
}

export function asRateLimit(text: string): number | null | Error {
  if (text === 'off') return null;
  const limit = Number(text);
  return Number.isFinite(limit) && limit > 0
    ? limit
    : new Error(`must be "off" or a number of requests per second above 0, not "${text}"`);
}

/** The text may contain a password, so the message never repeats it. */
export function asDatabaseUrl(text: string): string | Error {
  return /^postgres(ql)?:\/\/\S+$/.test(text) && URL.canParse(text)
    ? text
    : new Error('must be a postgres:// address');
}

/** The text may contain a password, so the message never repeats it. */
export const asBrokerUrl = (text: string): BrokerAccess | Error =>
  parseBrokerUrl(text) ?? new Error('must be an address such as mqtt://user:password@host:1883 or mqtts://…');

/** An address without encryption is accepted only on this machine, because on the way somebody could sign in as anybody. */
export function asIssuer(text: string): string | Error {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain =
    url?.protocol === 'http:' && (LOOPBACK.test(url.hostname) || url.hostname.endsWith('.localhost'));
  return url !== null && (isPlain || url.protocol === 'https:') && url.search === '' && url.hash === ''
    ? text
    : new Error('must be the https:// address of an OpenID Connect provider, as it names itself');
}

export const asScopes: Parse<string> = (text) =>
  /^[!-~]+( [!-~]+)*$/.test(text) && text.split(' ').includes('openid')
    ? text
    : new Error('must be scopes separated by spaces, openid among them');

export type BrokerAccessMode = (typeof BROKER_ACCESSES)[number];

export function asBrokerAccess(text: string): BrokerAccessMode | Error {
  return (
    BROKER_ACCESSES.find((access) => access === text) ??
    new Error(`must be one of ${BROKER_ACCESSES.join(', ')}, not "${text}"`)
  );
}

export const asTimeZone = (text: string): string | Error =>
  isTimeZone(text) ? text : new Error('must be the name of a time zone, such as Europe/Berlin');

export const USUAL_SHIFT_STARTS_MS: readonly number[] = [6 * HOUR_MS, 14 * HOUR_MS, 22 * HOUR_MS];
const SHIFTS_MAX = 12;

/** Reads times such as `06:00,14:00,22:00`, which must be in their order. */
export function asTimesOfDay(text: string): readonly number[] | Error {
  const times = text.split(',').map((part) => {
    const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(part.trim()) ?? [];
    return Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS;
  });
  const isValid = times.length <= SHIFTS_MAX && new Set(times).size === times.length;
  return isValid && times.every((timeMs) => timeMs >= 0)
    ? times.sort((one, other) => one - other)
    : new Error(`must be at most ${SHIFTS_MAX} times of day, such as 06:00,14:00,22:00`);
}

/** Reads an address such as `https://tiles.example.com/{z}/{x}/{y}.png`. Its host becomes part of a header, so it must be a plain one. */
export function asTilesUrl(text: string): string | Error {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.username === '' && /^https?:\/\/[\w.:[\]-]+$/.test(url.origin);
  return isPlain && ['{z}', '{x}', '{y}'].every((part) => text.includes(part))
    ? text
    : new Error('must be an address such as https://tiles.example.com/{z}/{x}/{y}.png');
}

export function asKey(text: string): string | Error {
  if (text.length < PRESET_KEY_LENGTH_MIN)
    return new Error(`must have at least ${PRESET_KEY_LENGTH_MIN} characters`);
  return /^[\x21-\x7e]+$/.test(text) ? text : new Error('must be printable ASCII without spaces');
}

export function asLogLevel(text: string): LogLevel | Error {
  return (
    LOG_LEVELS.find((level) => level === text) ??
    new Error(`must be one of ${LOG_LEVELS.join(', ')}, not "${text}"`)
  );
}

export function asSwitch(text: string): boolean | Error {
  if (text === 'on' || text === 'off') return text === 'on';
  return new Error(`must be on or off, not "${text}"`);
}

export type LogFormat = (typeof LOG_FORMATS)[number];

export function asLogFormat(text: string): LogFormat | Error {
  return (
    LOG_FORMATS.find((format) => format === text) ??
    new Error(`must be one of ${LOG_FORMATS.join(', ')}, not "${text}"`)
  );
}

export type MetricsAccess = (typeof METRICS_ACCESS)[number];

export function asMetricsAccess(text: string): MetricsAccess | Error {
  return (
    METRICS_ACCESS.find((access) => access === text) ??
    new Error(`must be one of ${METRICS_ACCESS.join(', ')}, not "${text}"`)
  );
}

export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** True: TLS from the start. False: STARTTLS is used when the server offers it. */
  readonly isTls: boolean;
  /** True: nothing is sent without encryption. */
  readonly isTlsRequired: boolean;
  readonly user: string | null;
  readonly password: string | null;
}

export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** The text may contain a password, so the message never repeats it. */
export function asSmtpServer(text: string): SmtpServer | Error {
  const fault = new Error('must be an address such as smtps://user:password@mail.example.com');
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'smtp:' && url.protocol !== 'smtps:')) return fault;
  const { hostname, username, password, searchParams } = url;
  if (hostname === '' || !['', '/'].includes(url.pathname) || url.hash !== '') return fault;
  const tls = searchParams.get('tls');
  const isKnown = [...searchParams.keys()].every((name) => name === 'tls');
  if (!isKnown || !['required', 'optional', null].includes(tls)) {
    return new Error('may only have the parameter tls=required or tls=optional');
  }
  const isTls = url.protocol === 'smtps:';
  // A password must not be sent when somebody on the way has removed the offer of encryption.
  const isSecret = username !== '' && !LOOPBACK.test(hostname);
  try {
    return {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? PORTS[url.protocol] : Number(url.port),
      isTls,
      isTlsRequired: !isTls && (tls === null ? isSecret : tls === 'required'),
      user: username === '' ? null : decodeURIComponent(username),
      password: password === '' ? null : decodeURIComponent(password),
    };
  } catch {
    return new Error('has a % in its user or password that must be written as %25');
  }
}

/** Reads `granary@example.com` or `Granary north <granary@example.com>`. */
export function asMailAddress(text: string): MailAddress | Error {
  const [, name = '', inBrackets] = /^([^<>"\p{Cc}]*?)\s*<([^<>]+)>$/u.exec(text) ?? [];
  const address = inBrackets ?? text;
  return ADDRESS.test(address)
    ? { name, address }
    : new Error(
        `must be an address such as granary@example.com or Granary <granary@example.com>, not "${text}"`,
      );
}

/** Reads origins that are separated by commas. */
export function asOrigins(text: string): readonly string[] | Error {
  const parts = text.split(',').map((part) => part.trim());
  const isOrigin = (part: string): boolean =>
    /^https?:$/.test(URL.parse(part)?.protocol ?? '') && new URL(part).origin === part;
  return parts.every(isOrigin) ? parts : new Error('must be addresses such as https://push.example.com');
}

export function asPublicUrl(text: string): string | Error {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && url.search === '' && url.hash === '' && url.username === '';
  return isPlain && (url.protocol === 'https:' || url.protocol === 'http:')
    ? text.replace(/\/+$/, '')
    : new Error('must be an address such as https://granary.example.com');
}
