import { ownZone } from '@granary/common/time-text';
import { DEFAULT_ADDRESSES } from '@granary/contract/endpoints/declaration/groups';
import type { BrokerAccess } from '@granary/link/external/connection/broker-address';
import type { Subnet } from './address-list.ts';
import {
  asBrokerAccess,
  asBrokerUrl,
  asConnections,
  asCount,
  asDatabaseUrl,
  asDays,
  asDaysOrOff,
  asHours,
  asIssuer,
  asKey,
  asLogFormat,
  asLogLevel,
  asMailAddress,
  asMetricsAccess,
  asOrigins,
  asPortOrOff,
  asPublicUrl,
  asRateLimit,
  asSandboxPath,
  asScopes,
  asSeconds,
  asSegment,
  asSmtpServer,
  asSubnets,
  asSwitch,
  asText,
  asThreads,
  asTilesUrl,
  asTimesOfDay,
  asTimeZone,
  type BrokerAccessMode,
  type LogFormat,
  type LogLevel,
  type MailAddress,
  type MetricsAccess,
  type Parse,
  type SmtpServer,
  USUAL_SHIFT_STARTS_MS,
} from './setting-values.ts';

const BACKUP_ONLY = ['GRANARY_BACKUP_EVERY_HOURS', 'GRANARY_BACKUP_KEEP'];

const OIDC_ONLY = [
  'CLIENT_ID',
  'CLIENT_SECRET',
  'CLIENT_SECRET_FILE',
  'SCOPES',
  'GROUPS_CLAIM',
  'ADMIN_GROUP',
  'NAME',
].map((name) => `GRANARY_OIDC_${name}`);

const TLS_ONLY = ['GRANARY_HTTPS_HOST', 'GRANARY_HTTPS_PORT', 'GRANARY_MQTTS_HOST', 'GRANARY_MQTTS_PORT'];

export interface Settings {
  readonly httpHost: string;
  /** `null` for a port that is switched off. */
  readonly httpPort: number | null;
  readonly httpsHost: string;
  readonly httpsPort: number | null;
  readonly httpConnectionsMax: number;
  readonly httpConnectionsPerAddressMax: number;
  /** Proxies whose `X-Forwarded-For` counts. */
  readonly trustedProxies: readonly Subnet[];
  readonly httpHeadersTimeoutS: number;
  readonly httpRequestTimeoutS: number;
  readonly siloSegment: string;
  readonly fieldSegment: string;
  readonly sandboxPath: string;
  readonly mqttHost: string;
  readonly mqttPort: number | null;
  readonly mqttsHost: string;
  readonly mqttsPort: number | null;
  /** The external broker to which devices connect; `null`: they connect to the embedded broker. */
  readonly broker: BrokerAccess | null;
  /** How the external broker gets the secrets of devices; `manual`: people enter them at the broker. */
  readonly brokerAccess: BrokerAccessMode;
  /** The secret that a broker must send when it asks the service; `null`: no broker asks. */
  readonly brokerSecret: string | null;
  /** The threads that accept the connections of devices; 0: the main thread does. */
  readonly linkThreads: number;
  /** Files in PEM format; without them there is no TLS, and the ports of HTTPS and MQTTS are not used. */
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  readonly databaseUrl: string | null;
  /** The connections to PostgreSQL that all work but urgent work shares. */
  readonly databaseConnections: number;
  readonly dataDir: string;
  /** The folder for scheduled backups; `null`: none are made. */
  readonly backupDir: string | null;
  readonly backupEveryHours: number;
  /** How many backups are kept. */
  readonly backupKeep: number;
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
  /** The address at which people reach the service, for links in messages. */
  readonly publicUrl: string | null;
  /** The time zone of times in messages for people. */
  readonly timeZone: string;
  /** Times of day at which shifts begin, in their order. */
  readonly shiftStartsMs: readonly number[];
  /** `null`: e-mail cannot be sent. */
  readonly smtp: SmtpServer | null;
  readonly mailFrom: MailAddress | null;
  /** `open` answers without a key, like the health checks. */
  readonly metrics: MetricsAccess;
  readonly auditRetentionDays: number;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  /** Whether one line is logged for each request. */
  readonly accessLog: boolean;
  /** Whether webhooks may reach private and loopback addresses. */
  readonly webhookAllowPrivate: boolean;
  /** Push services besides those that browsers usually have, by their origins; these may be in the network of the site. */
  readonly pushOrigins: readonly string[];
  /** The MQTT broker of Home Assistant, where the devices are shown; `null`: they are not. */
  readonly homeAssistant: BrokerAccess | null;
  /** Whether the operators' page, and sign-in for it, are on. */
  readonly console: boolean;
  /** The address of map tiles; `null`: the map shows its metre grid only. */
  readonly mapTilesUrl: string | null;
  /** The site file of a bridge that is started with the service; `null`: none is. */
  readonly bridgeSite: string | null;
  /** The identity provider with which people sign in, besides their passwords; `null`: there is none. */
  readonly oidcIssuer: string | null;
  readonly oidcClientId: string;
  readonly oidcClientSecret: string | null;
  /** A file that contains the secret, in place of the secret itself. */
  readonly oidcClientSecretFile: string | null;
  readonly oidcScopes: string;
  /** The claim with the groups, or the path to it. */
  readonly oidcGroupsClaim: string;
  /** The members of this group administer everything, whatever the policy of signing in says. */
  readonly oidcAdminGroup: string | null;
  /** The name of the provider that people are shown; `null`: its host. */
  readonly oidcName: string | null;
  /** The age at which raw readings are compressed; `null`: never. */
  readonly compressAfterDays: number | null;
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

/** Variables with the same prefix that belong to the command line or to the tests. */
const FOREIGN = /^GRANARY_(ACTOR|API_KEY|CONTEXT|URL|TEST_.*)$/;

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
  const httpHost = read('GRANARY_HTTP_HOST', '127.0.0.1', asText);
  const mqttHost = read('GRANARY_MQTT_HOST', '127.0.0.1', asText);
  const settings: Settings = {
    httpHost,
    httpPort: read<number | null>('GRANARY_HTTP_PORT', 8080, asPortOrOff),
    httpsHost: read('GRANARY_HTTPS_HOST', httpHost, asText),
    httpsPort: read<number | null>('GRANARY_HTTPS_PORT', 8443, asPortOrOff),
    httpConnectionsMax: read('GRANARY_HTTP_CONNECTIONS_MAX', 4_096, asCount),
    httpConnectionsPerAddressMax: read('GRANARY_HTTP_CONNECTIONS_PER_ADDRESS_MAX', 1_024, asCount),
    trustedProxies: read<readonly Subnet[]>('GRANARY_TRUSTED_PROXIES', [], asSubnets),
    httpHeadersTimeoutS: read('GRANARY_HTTP_HEADERS_TIMEOUT_S', 10, asSeconds),
    httpRequestTimeoutS: read('GRANARY_HTTP_REQUEST_TIMEOUT_S', 30, asSeconds),
    siloSegment: read('GRANARY_SILO_SEGMENT', DEFAULT_ADDRESSES.siloSegment, asSegment),
    fieldSegment: read('GRANARY_FIELD_SEGMENT', DEFAULT_ADDRESSES.fieldSegment, asSegment),
    sandboxPath: read('GRANARY_SANDBOX_PATH', DEFAULT_ADDRESSES.sandboxPath, asSandboxPath),
    mqttHost,
    mqttPort: read<number | null>('GRANARY_MQTT_PORT', 1883, asPortOrOff),
    mqttsHost: read('GRANARY_MQTTS_HOST', mqttHost, asText),
    mqttsPort: read<number | null>('GRANARY_MQTTS_PORT', 8883, asPortOrOff),
    broker: read<BrokerAccess | null>('GRANARY_BROKER_URL', null, asBrokerUrl),
    brokerAccess: read<BrokerAccessMode>('GRANARY_BROKER_ACCESS', 'manual', asBrokerAccess),
    brokerSecret: read<string | null>('GRANARY_BROKER_SECRET', null, asKey),
    linkThreads: read('GRANARY_LINK_THREADS', 1, asThreads),
    tlsCert: read<string | null>('GRANARY_TLS_CERT', null, asText),
    tlsKey: read<string | null>('GRANARY_TLS_KEY', null, asText),
    databaseUrl: read<string | null>('GRANARY_DATABASE_URL', null, asDatabaseUrl),
    databaseConnections: read('GRANARY_DATABASE_CONNECTIONS', 10, asConnections),
    dataDir: read('GRANARY_DATA_DIR', '.granary', asText),
    backupDir: read<string | null>('GRANARY_BACKUP_DIR', null, asText),
    backupEveryHours: read('GRANARY_BACKUP_EVERY_HOURS', 24, asHours),
    backupKeep: read('GRANARY_BACKUP_KEEP', 7, asCount),
    adminKey: read<string | null>('GRANARY_ADMIN_KEY', null, asKey),
    rateLimit: read<number | null>('GRANARY_RATE_LIMIT', 100, asRateLimit),
    rawRetentionDays: read('GRANARY_RETENTION_RAW_DAYS', 30, asDays),
    fiveMinuteRetentionDays: read('GRANARY_RETENTION_5M_DAYS', 730, asDays),
    eventRetentionDays: read('GRANARY_RETENTION_EVENTS_DAYS', 90, asDays),
    jobRetentionDays: read('GRANARY_RETENTION_JOBS_DAYS', 365, asDays),
    alertRetentionDays: read('GRANARY_RETENTION_ALERTS_DAYS', 365, asDays),
    publicUrl: read<string | null>('GRANARY_PUBLIC_URL', null, asPublicUrl),
    timeZone: read('GRANARY_TIME_ZONE', ownZone(), asTimeZone),
    shiftStartsMs: read('GRANARY_SHIFT_STARTS', USUAL_SHIFT_STARTS_MS, asTimesOfDay),
    smtp: read<SmtpServer | null>('GRANARY_SMTP_URL', null, asSmtpServer),
    mailFrom: read<MailAddress | null>('GRANARY_MAIL_FROM', null, asMailAddress),
    metrics: read<MetricsAccess>('GRANARY_METRICS', 'open', asMetricsAccess),
    auditRetentionDays: read('GRANARY_RETENTION_AUDIT_DAYS', 730, asDays),
    logLevel: read('GRANARY_LOG_LEVEL', 'info', asLogLevel),
    logFormat: read<LogFormat>('GRANARY_LOG_FORMAT', 'auto', asLogFormat),
    accessLog: read('GRANARY_ACCESS_LOG', false, asSwitch),
    webhookAllowPrivate: read('GRANARY_WEBHOOK_ALLOW_PRIVATE', false, asSwitch),
    pushOrigins: read<readonly string[]>('GRANARY_PUSH_ORIGINS', [], asOrigins),
    homeAssistant: read<BrokerAccess | null>('GRANARY_HOME_ASSISTANT_URL', null, asBrokerUrl),
    console: read('GRANARY_CONSOLE', true, asSwitch),
    mapTilesUrl: read<string | null>('GRANARY_MAP_TILES_URL', null, asTilesUrl),
    bridgeSite: read<string | null>('GRANARY_BRIDGE_SITE', null, asText),
    oidcIssuer: read<string | null>('GRANARY_OIDC_ISSUER', null, asIssuer),
    oidcClientId: read('GRANARY_OIDC_CLIENT_ID', '', asText),
    oidcClientSecret: read<string | null>('GRANARY_OIDC_CLIENT_SECRET', null, asText),
    oidcClientSecretFile: read<string | null>('GRANARY_OIDC_CLIENT_SECRET_FILE', null, asText),
    oidcScopes: read('GRANARY_OIDC_SCOPES', 'openid profile email', asScopes),
    oidcGroupsClaim: read('GRANARY_OIDC_GROUPS_CLAIM', 'groups', asText),
    oidcAdminGroup: read<string | null>('GRANARY_OIDC_ADMIN_GROUP', null, asText),
    oidcName: read<string | null>('GRANARY_OIDC_NAME', null, asText),
    compressAfterDays: read<number | null>('GRANARY_COMPRESS_AFTER_DAYS', 1, asDaysOrOff),
  };
  faults.push(...conflictsOf(settings, (name) => (env[name] ?? '') !== ''));
  for (const name of Object.keys(env)) {
    if (name.startsWith('GRANARY_') && !known.has(name) && !FOREIGN.test(name)) {
      faults.push(`${name} is not a setting of this version`);
    }
  }
  if (faults.length > 0) throw new SettingsError(faults);
  return Object.freeze(settings);
}

interface TlsSettings {
  readonly httpPort: number | null;
  readonly httpsPort: number | null;
  readonly mqttPort: number | null;
  readonly mqttsPort: number | null;
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
}

interface Combined extends TlsSettings {
  readonly broker: BrokerAccess | null;
  readonly brokerAccess: BrokerAccessMode;
  readonly httpHeadersTimeoutS: number;
  readonly httpRequestTimeoutS: number;
  readonly siloSegment: string;
  readonly fieldSegment: string;
  readonly console: boolean;
}

/** The faults of settings that are valid alone but not together; `isGiven` tells whether a variable was set. */
function conflictsOf(settings: Combined, isGiven: (name: string) => boolean): string[] {
  const faults: string[] = [];
  if (settings.httpHeadersTimeoutS > settings.httpRequestTimeoutS) {
    faults.push('GRANARY_HTTP_HEADERS_TIMEOUT_S must not be above GRANARY_HTTP_REQUEST_TIMEOUT_S');
  }
  if (settings.siloSegment === settings.fieldSegment) {
    faults.push('GRANARY_SILO_SEGMENT and GRANARY_FIELD_SEGMENT must differ');
  }
  if (isGiven('GRANARY_SMTP_URL') && !isGiven('GRANARY_MAIL_FROM')) {
    faults.push('GRANARY_SMTP_URL needs GRANARY_MAIL_FROM as well');
  }
  if (isGiven('GRANARY_BACKUP_DIR') && isGiven('GRANARY_DATABASE_URL')) {
    faults.push('GRANARY_BACKUP_DIR is for the embedded store only; use pg_dump for PostgreSQL');
  }
  if (isGiven('GRANARY_DATABASE_CONNECTIONS') && !isGiven('GRANARY_DATABASE_URL')) {
    faults.push('GRANARY_DATABASE_CONNECTIONS needs GRANARY_DATABASE_URL');
  }
  for (const name of isGiven('GRANARY_BACKUP_DIR') ? [] : BACKUP_ONLY.filter(isGiven)) {
    faults.push(`${name} needs GRANARY_BACKUP_DIR`);
  }
  if (settings.brokerAccess === 'dynamic-security' && (settings.broker?.username ?? null) === null) {
    faults.push('GRANARY_BROKER_ACCESS=dynamic-security needs GRANARY_BROKER_URL with a user name');
  }
  if ((settings.brokerAccess === 'http') !== isGiven('GRANARY_BROKER_SECRET')) {
    faults.push('GRANARY_BROKER_ACCESS=http and GRANARY_BROKER_SECRET need each other');
  }
  return [...faults, ...signOnConflicts(settings, isGiven), ...tlsConflicts(settings, isGiven)];
}

function signOnConflicts({ console }: Combined, isGiven: (name: string) => boolean): string[] {
  if (!isGiven('GRANARY_OIDC_ISSUER')) {
    return OIDC_ONLY.filter(isGiven).map((name) => `${name} needs GRANARY_OIDC_ISSUER`);
  }
  const faults: string[] = [];
  if (!isGiven('GRANARY_OIDC_CLIENT_ID'))
    faults.push('GRANARY_OIDC_ISSUER needs GRANARY_OIDC_CLIENT_ID as well');
  if (isGiven('GRANARY_OIDC_CLIENT_SECRET') === isGiven('GRANARY_OIDC_CLIENT_SECRET_FILE')) {
    faults.push(
      'GRANARY_OIDC_ISSUER needs either GRANARY_OIDC_CLIENT_SECRET or GRANARY_OIDC_CLIENT_SECRET_FILE',
    );
  }
  if (!console)
    faults.push('GRANARY_OIDC_ISSUER needs the operators’ page, which GRANARY_CONSOLE switches off');
  return faults;
}

function tlsConflicts(settings: TlsSettings, isGiven: (name: string) => boolean): string[] {
  const { tlsCert, tlsKey, httpPort, httpsPort, mqttPort, mqttsPort } = settings;
  if ((tlsCert === null) !== (tlsKey === null)) {
    const [given, missing] = ['GRANARY_TLS_CERT', 'GRANARY_TLS_KEY'].toSorted(
      (one, other) => Number(isGiven(other)) - Number(isGiven(one)),
    );
    return [`${given} needs ${missing} as well`];
  }
  const faults: string[] = [];
  const hasTls = tlsCert !== null;
  for (const name of hasTls ? [] : TLS_ONLY.filter(isGiven)) {
    faults.push(`${name} needs GRANARY_TLS_CERT and GRANARY_TLS_KEY`);
  }
  if (httpPort === null && (httpsPort === null || !hasTls)) {
    faults.push('GRANARY_HTTP_PORT must not be off unless there is an HTTPS port');
  }
  if (mqttPort === null && (mqttsPort === null || !hasTls)) {
    faults.push('GRANARY_MQTT_PORT must not be off unless there is an MQTTS port');
  }
  return faults;
}
