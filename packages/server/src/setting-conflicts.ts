import type { BrokerAccess } from '@granary/link/external/connection/broker-address';
import type { BrokerAccessMode } from './setting-values.ts';

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
}

/** Faults of settings that are valid alone and not together; `isGiven` tells whether a variable was set. */
export function conflictsOf(settings: Combined, isGiven: (name: string) => boolean): string[] {
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
  return [...faults, ...tlsConflicts(settings, isGiven)];
}

const BACKUP_ONLY = ['GRANARY_BACKUP_EVERY_HOURS', 'GRANARY_BACKUP_KEEP'];
const TLS_ONLY = ['GRANARY_HTTPS_HOST', 'GRANARY_HTTPS_PORT', 'GRANARY_MQTTS_HOST', 'GRANARY_MQTTS_PORT'];

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
