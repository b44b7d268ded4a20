import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_ENDPOINTS } from '@granary/contract/endpoints/endpoints';
import { readSettings, SettingsError } from './settings.ts';

test('without settings the defaults of the embedded database apply', () => {
  assert.deepEqual(readSettings({ PATH: '/bin', HOME: '/root' }), {
    httpHost: '127.0.0.1',
    httpPort: 8080,
    httpsHost: '127.0.0.1',
    httpsPort: 8443,
    httpConnectionsMax: 4096,
    httpConnectionsPerAddressMax: 1024,
    timeZone: 'UTC',
    shiftStartsMs: [6 * 3_600_000, 14 * 3_600_000, 22 * 3_600_000],
    trustedProxies: [],
    httpHeadersTimeoutS: 10,
    httpRequestTimeoutS: 30,
    siloSegment: 'siloscale',
    fieldSegment: 'fielddevice',
    sandboxPath: '/sandbox',
    mqttHost: '127.0.0.1',
    mqttPort: 1883,
    mqttsHost: '127.0.0.1',
    mqttsPort: 8883,
    broker: null,
    brokerAccess: 'manual',
    brokerSecret: null,
    linkThreads: 1,
    tlsCert: null,
    tlsKey: null,
    databaseUrl: null,
    databaseConnections: 10,
    dataDir: '.granary',
    backupDir: null,
    backupEveryHours: 24,
    backupKeep: 7,
    adminKey: null,
    rateLimit: 100,
    rawRetentionDays: 30,
    fiveMinuteRetentionDays: 730,
    eventRetentionDays: 90,
    jobRetentionDays: 365,
    alertRetentionDays: 365,
    publicUrl: null,
    smtp: null,
    mailFrom: null,
    metrics: 'open',
    auditRetentionDays: 730,
    logLevel: 'info',
    logFormat: 'auto',
    accessLog: false,
    webhookAllowPrivate: false,
    pushOrigins: [],
    homeAssistant: null,
    bridgeSite: null,
    compressAfterDays: 1,
    console: true,
    mapTilesUrl: null,
    oidcIssuer: null,
    oidcClientId: '',
    oidcClientSecret: null,
    oidcClientSecretFile: null,
    oidcScopes: 'openid profile email',
    oidcGroupsClaim: 'groups',
    oidcAdminGroup: null,
    oidcName: null,
  });
});

test('settings are read as given and cannot be changed afterwards', () => {
  const settings = readSettings({
    GRANARY_HTTP_PORT: '0',
    GRANARY_RATE_LIMIT: 'off',
    GRANARY_API_KEY: 'not ours',
    GRANARY_CONTEXT: 'not ours',
    GRANARY_ACTOR: 'not ours',
  });
  assert.equal(settings.httpPort, 0);
  assert.equal(settings.rateLimit, null);
  assert.ok(Object.isFrozen(settings));
});

test('a mail server needs the address of the sender', () => {
  const env = { GRANARY_SMTP_URL: 'smtp://localhost' };
  assert.throws(() => readSettings(env), /GRANARY_SMTP_URL needs GRANARY_MAIL_FROM/);
});

test('scheduled backups are of the embedded store, and need a folder', () => {
  const folder = { GRANARY_BACKUP_DIR: '/mnt/backups', GRANARY_BACKUP_EVERY_HOURS: '6' };
  assert.equal(readSettings(folder).backupEveryHours, 6);
  const elsewhere = { ...folder, GRANARY_DATABASE_URL: 'postgres://h/d' };
  assert.throws(() => readSettings(elsewhere), /GRANARY_BACKUP_DIR is for the embedded store only/);
  const alone = { GRANARY_BACKUP_EVERY_HOURS: '0', GRANARY_BACKUP_KEEP: '3' };
  assert.throws(
    () => readSettings(alone),
    /EVERY_HOURS must be a whole number of hours.*GRANARY_BACKUP_KEEP needs GRANARY_BACKUP_DIR/,
  );
});

test('all faults are listed at once, and secrets are not repeated', () => {
  const env = {
    GRANARY_HTTP_PORT: '99999',
    GRANARY_MQTT_PORT: 'x',
    GRANARY_LINK_THREADS: '9',
    GRANARY_SILO_SEGMENT: 'a/b',
    GRANARY_SANDBOX_PATH: 'sandbox/',
    GRANARY_DATABASE_URL: 'mysql://user:hunter2@host/db',
    GRANARY_ADMIN_KEY: 'hunter2',
    GRANARY_RATE_LIMIT: '-1',
    GRANARY_RETENTION_RAW_DAYS: '0',
    GRANARY_RETENTION_EVENTS_DAYS: 'ever',
    GRANARY_SMTP_URL: 'http://ada:hunter2@mail.example.com',
    GRANARY_MAIL_FROM: 'granary',
    GRANARY_BROKER_URL: 'http://granary:hunter2@broker',
    GRANARY_PUBLIC_URL: 'granary.example.com',
    GRANARY_METRICS: 'some',
    GRANARY_LOG_LEVEL: 'loud',
    GRANARY_LOG_FORMAT: 'xml',
    GRANARY_ACCESS_LOG: 'yes',
    GRANARY_COLOUR: 'green',
  };
  assert.throws(
    () => readSettings(env),
    (error) => {
      assert.ok(error instanceof SettingsError);
      assert.equal(error.faults.length, Object.keys(env).length);
      for (const name of Object.keys(env))
        assert.ok(
          error.faults.some((fault) => fault.startsWith(name)),
          name,
        );
      assert.equal(error.message.includes('hunter2'), false);
      return true;
    },
  );
});

test('the two groups need different paths, and none that is in use', () => {
  assert.throws(() => readSettings({ GRANARY_SILO_SEGMENT: 'x', GRANARY_FIELD_SEGMENT: 'x' }), SettingsError);
  for (const { endpoint } of ALL_ENDPOINTS) {
    const segment = endpoint.path.split('/')[1] ?? '';
    if (endpoint.group === 'api')
      assert.throws(() => readSettings({ GRANARY_SILO_SEGMENT: segment }), SettingsError, segment);
    if (endpoint.group === 'service' && segment !== '')
      assert.throws(() => readSettings({ GRANARY_SANDBOX_PATH: `/${segment}/x` }), SettingsError, segment);
  }
  for (const path of ['/v1/plants', '/mqtt']) {
    assert.throws(() => readSettings({ GRANARY_SANDBOX_PATH: path }), SettingsError, path);
  }
  assert.equal(readSettings({ GRANARY_SANDBOX_PATH: '/try/it' }).sandboxPath, '/try/it');
});

test('TLS needs both files, and at least one port each is left for callers and devices', () => {
  const faultsOf = (env: Record<string, string>): readonly string[] => {
    try {
      readSettings(env);
      return [];
    } catch (error) {
      assert.ok(error instanceof SettingsError);
      return error.faults;
    }
  };
  const tls = { GRANARY_TLS_CERT: 'c', GRANARY_TLS_KEY: 'k' };
  assert.deepEqual(faultsOf({ GRANARY_TLS_CERT: 'c' }), ['GRANARY_TLS_CERT needs GRANARY_TLS_KEY as well']);
  assert.deepEqual(faultsOf({ GRANARY_TLS_KEY: 'k' }), ['GRANARY_TLS_KEY needs GRANARY_TLS_CERT as well']);
  assert.match(faultsOf({ GRANARY_HTTPS_PORT: '8443' }).join(), /GRANARY_HTTPS_PORT needs GRANARY_TLS_CERT/);
  assert.match(faultsOf({ GRANARY_HTTP_PORT: 'off' }).join(), /GRANARY_HTTP_PORT must not be off unless/);
  assert.match(faultsOf({ GRANARY_MQTT_PORT: 'off' }).join(), /GRANARY_MQTT_PORT must not be off unless/);
  assert.equal(faultsOf({ ...tls, GRANARY_HTTP_PORT: 'off', GRANARY_HTTPS_PORT: 'off' }).length, 1);
  assert.deepEqual(faultsOf({ ...tls, GRANARY_HTTP_PORT: 'off', GRANARY_MQTT_PORT: 'off' }), []);
  const settings = readSettings({ ...tls, GRANARY_HTTP_HOST: '127.0.0.1', GRANARY_HTTPS_HOST: '0.0.0.0' });
  assert.deepEqual(
    [settings.httpHost, settings.httpsHost, settings.mqttsHost],
    ['127.0.0.1', '0.0.0.0', '127.0.0.1'],
  );
});

test('the address of map tiles needs a plain host and the three parts of a tile', () => {
  const tiles = (text: string) => readSettings({ GRANARY_MAP_TILES_URL: text }).mapTilesUrl;
  for (const good of ['https://tiles.example/{z}/{x}/{y}.png', 'http://[::1]:81/t?x={x}&y={y}&z={z}']) {
    assert.equal(tiles(good), good);
  }
  for (const bad of [
    'tiles.example/{z}/{x}/{y}',
    'https://tiles.example/',
    'https://u:p@t.example/{z}/{x}/{y}',
    'ftp://t.example/{z}/{x}/{y}',
    'https://{s}.t.example/{z}/{x}/{y}',
    'data:{z}{x}{y}',
    "https://a.example;script-src/{z}/{x}/{y} 'unsafe-inline'",
  ]) {
    assert.throws(() => tiles(bad), SettingsError, bad);
  }
});

test('single sign-on needs an issuer with TLS, a client and one secret', () => {
  const issuer = 'GRANARY_OIDC_ISSUER';
  const client = { GRANARY_OIDC_CLIENT_ID: 'granary', GRANARY_OIDC_CLIENT_SECRET: 'x' };
  for (const good of ['https://id.example/realms/farm', 'https://id.example/', 'http://a.localhost:9/']) {
    assert.equal(readSettings({ [issuer]: good, ...client }).oidcIssuer, good);
  }
  const { GRANARY_OIDC_CLIENT_SECRET: _, ...withoutSecret } = client;
  const set = { [issuer]: 'https://id.example', ...client };
  assert.equal(
    readSettings({
      ...withoutSecret,
      [issuer]: 'https://id.example',
      GRANARY_OIDC_CLIENT_SECRET_FILE: '/run/s',
    }).oidcClientSecretFile,
    '/run/s',
  );
  for (const [env, told] of [
    [{ ...set, [issuer]: 'http://id.example' }, /https/],
    [{ ...set, [issuer]: 'id.example' }, /https/],
    [{ ...set, [issuer]: 'https://id.example/?a=b' }, /https/],
    [{ [issuer]: 'https://id.example', GRANARY_OIDC_CLIENT_SECRET: 'x' }, /CLIENT_ID as well/],
    [{ [issuer]: 'https://id.example', ...withoutSecret }, /either/],
    [{ ...set, GRANARY_OIDC_CLIENT_SECRET_FILE: '/run/s' }, /either/],
    [{ ...set, GRANARY_OIDC_SCOPES: 'profile' }, /openid/],
    [{ ...set, GRANARY_CONSOLE: 'off' }, /GRANARY_CONSOLE/],
    [client, /GRANARY_OIDC_CLIENT_ID needs GRANARY_OIDC_ISSUER/],
  ] as const) {
    assert.throws(() => readSettings(env), told, JSON.stringify(env));
  }
});

test('the ways in which a broker learns of devices need what they use', () => {
  const faultsOf = (env: Readonly<Record<string, string>>): readonly string[] => {
    try {
      readSettings(env);
      return [];
    } catch (error) {
      assert.ok(error instanceof SettingsError);
      return error.faults;
    }
  };
  const secret = { GRANARY_BROKER_SECRET: 'x'.repeat(32) };
  const url = 'mqtt://granary:password@127.0.0.1';
  assert.deepEqual(faultsOf({ GRANARY_BROKER_ACCESS: 'http', ...secret }), []);
  assert.deepEqual(faultsOf({ GRANARY_BROKER_ACCESS: 'dynamic-security', GRANARY_BROKER_URL: url }), []);
  for (const env of [
    { GRANARY_BROKER_ACCESS: 'http' },
    secret,
    { GRANARY_BROKER_ACCESS: 'dynamic-security' },
    { GRANARY_BROKER_ACCESS: 'dynamic-security', GRANARY_BROKER_URL: 'mqtt://127.0.0.1' },
    { GRANARY_BROKER_ACCESS: 'open' },
    { GRANARY_BROKER_ACCESS: 'http', GRANARY_BROKER_SECRET: 'short' },
  ])
    assert.ok(faultsOf(env).length > 0, JSON.stringify(env));
});

test('shifts begin at times of day, in whatever order they are given', () => {
  const of = (text: string) => readSettings({ GRANARY_SHIFT_STARTS: text }).shiftStartsMs;
  assert.deepEqual(of('18:30, 06:00'), [6 * 3_600_000, 18.5 * 3_600_000]);
  for (const text of ['6', '24:00', '06:00,06:00', '06:00,', ',', '06:00;14:00']) {
    assert.throws(() => of(text), SettingsError, text);
  }
});
