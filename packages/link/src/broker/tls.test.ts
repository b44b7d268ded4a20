import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { connect as connectSecure, type SecureVersion, type TLSSocket } from 'node:tls';
import { topicOf } from '@granary/contract/link/messages';
import { newCertificate } from '@granary/testing/link/certificates';
import { connectDevice, HOST, READING, secretOf, startLink } from '@granary/testing/link/fixture';
import { hasMosquitto, mayTestWith, OutsideClient } from '@granary/testing/link/outside-clients';
import mqtt, { type MqttClient } from 'mqtt';

const certificate = newCertificate('first');

async function connectEncrypted(t: TestContext, port: number, deviceId: string): Promise<MqttClient> {
  const login = { clientId: deviceId, username: deviceId, password: secretOf(deviceId) };
  const options = { ...login, ca: certificate.cert, reconnectPeriod: 0 };
  const client = await mqtt.connectAsync(`mqtts://${HOST}:${port}`, options, false);
  client.on('error', () => undefined);
  t.after(() => client.end(true));
  return client;
}

async function handshake(port: number, versionMax: SecureVersion = 'TLSv1.3'): Promise<TLSSocket> {
  const versions = { maxVersion: versionMax, minVersion: 'TLSv1' as const, ciphers: 'DEFAULT@SECLEVEL=0' };
  const socket = connectSecure({ host: HOST, port, rejectUnauthorized: false, ...versions });
  await once(socket, 'secureConnect');
  return socket;
}

describe('MQTT over TLS', { timeout: 300_000 }, () => {
  test('a device publishes and is sent commands as on the plain port', async (t) => {
    const { broker, handler, securePort } = await startLink(t, {}, certificate);
    const client = await connectEncrypted(t, securePort, 'silo-1');
    await client.publishAsync(topicOf('silo-1', 'telemetry'), JSON.stringify(READING), { qos: 1 });
    assert.deepEqual(handler.messages, [{ deviceId: 'silo-1', subject: 'telemetry', telemetry: READING }]);
    await client.subscribeAsync(topicOf('silo-1', 'command'), { qos: 1 });
    const received = new Promise<string>((resolve) => {
      client.once('message', (_topic, payload) => resolve(payload.toString()));
    });
    const sent = broker.sendCommand('silo-1', { command: 'report' }, { expiresAtMs: null, repeatKey: null });
    assert.equal(sent, 'sent');
    assert.equal(await received, '{"command":"report"}');
    assert.equal(broker.linkStatistics('silo-1').remoteAddress, HOST);
  });

  test('mosquitto_pub --cafile is received', async (t) => {
    if (!mayTestWith(t, 'mosquitto', hasMosquitto())) return;
    const folder = await mkdtemp(join(tmpdir(), 'granary-ca-'));
    t.after(() => rm(folder, { recursive: true }));
    const caFile = join(folder, 'ca.pem');
    await writeFile(caFile, certificate.cert);
    const { handler, securePort } = await startLink(t, {}, certificate);
    const address = ['--cafile', caFile, '-h', HOST, '-p', `${securePort}`];
    const login = ['-i', 'silo-1', '-u', 'silo-1', '-P', secretOf('silo-1')];
    const message = ['-q', '1', '-t', topicOf('silo-1', 'telemetry'), '-m', JSON.stringify(READING)];
    const client = new OutsideClient(t, 'mosquitto_pub', [...address, ...login, ...message]);
    assert.equal(await client.exit(), 0);
    assert.equal(handler.messages.length, 1);
  });

  test('TLS 1.2 and 1.3 are accepted, older versions are not', async (t) => {
    const { handler, securePort } = await startLink(t, {}, certificate);
    for (const version of ['TLSv1.3', 'TLSv1.2'] as const) (await handshake(securePort, version)).destroy();
    await assert.rejects(handshake(securePort, 'TLSv1.1'));
    await handler.until(() => handler.observations.length > 0);
    assert.match(JSON.stringify(handler.observations), /TLS handshake failed/);
  });

  test('plain MQTT on the encrypted port is closed, and others are not affected', async (t) => {
    const { handler, securePort } = await startLink(t, {}, certificate);
    const client = await connectEncrypted(t, securePort, 'silo-1');
    const plain = connectPlain(securePort, HOST);
    plain.on('error', () => undefined);
    plain.write('\x10\x0c\x00\x04MQTT\x04\x02\x00\x3c\x00\x00');
    await once(plain, 'close');
    await client.publishAsync(topicOf('silo-1', 'telemetry'), JSON.stringify(READING), { qos: 1 });
    assert.equal(handler.messages.length, 1);
  });

  test('a connection without a handshake is closed in time', async (t) => {
    const { securePort } = await startLink(t, { connectTimeoutMs: 300 }, certificate);
    const silent = connectPlain(securePort, HOST);
    silent.on('error', () => undefined).resume();
    await once(silent, 'close');
  });

  test('a connection without a handshake does not hold up the stop', async (t) => {
    const { broker, securePort } = await startLink(t, {}, certificate);
    const silent = connectPlain(securePort, HOST);
    silent.on('error', () => undefined).resume();
    await once(silent, 'connect');
    (await handshake(securePort)).on('error', () => undefined);
    await Promise.all([broker.stop(), once(silent, 'close')]);
  });

  test('both ports share the limit of connections', async (t) => {
    const { port, securePort } = await startLink(t, { connectionsMax: 1 }, certificate);
    await connectDevice(t, port, 'silo-1');
    await assert.rejects(connectEncrypted(t, securePort, 'silo-2'));
  });

  test('a new certificate is used by new connections, and open ones continue', async (t) => {
    const { broker, handler, securePort } = await startLink(t, {}, certificate);
    const client = await connectEncrypted(t, securePort, 'silo-1');
    const nameOf = async () => {
      const socket = await handshake(securePort);
      const name = socket.getPeerCertificate().subject.CN;
      socket.destroy();
      return name;
    };
    assert.equal(await nameOf(), 'first');
    broker.useCertificate(newCertificate('second'));
    assert.equal(await nameOf(), 'second');
    await client.publishAsync(topicOf('silo-1', 'telemetry'), JSON.stringify(READING), { qos: 1 });
    assert.equal(handler.messages.length, 1);
  });
});
