import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { describeRequests, siloNamed } from '@granary/testing/server/service';
import { readSubnet, type Subnet } from '../../process/address-list.ts';
import { CallerAddresses, callerNetwork } from './caller-address.ts';

const SILOS = '/v1/siloscale/devices';

const subnets = (...texts: string[]): Subnet[] => texts.map((text) => readSubnet(text) ?? assert.fail(text));

function callerOf(proxies: readonly Subnet[], remoteAddress: string | undefined, forwarded?: string): string {
  const request = { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } };
  return new CallerAddresses(proxies).of(request as unknown as IncomingMessage);
}

test('X-Forwarded-For counts from trusted proxies only, back to the first address that is none', () => {
  const proxies = subnets('10.0.0.5', '192.168.0.0/16', '2001:db8:9::/48');
  const CASES: readonly (readonly [
    peer: string | undefined,
    forwarded: string | undefined,
    caller: string,
  ])[] = [
    ['203.0.113.7', undefined, '203.0.113.7'],
    ['203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['10.0.0.5', undefined, '10.0.0.5'],
    ['10.0.0.5', '', '10.0.0.5'],
    ['10.0.0.5', '198.51.100.1', '198.51.100.1'],
    ['::ffff:10.0.0.5', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.5', '6.6.6.6, 198.51.100.1', '198.51.100.1'],
    ['10.0.0.5', '6.6.6.6, 198.51.100.1, 192.168.3.4', '198.51.100.1'],
    ['10.0.0.5', '198.51.100.1:4711', '198.51.100.1'],
    ['10.0.0.5', '[2001:db8:1::7]:443', '2001:db8:1::7'],
    ['2001:db8:9::1', '2001:db8:1::7', '2001:db8:1::7'],
    ['10.0.0.5', '198.51.100.1, nonsense', '10.0.0.5'],
    ['10.0.0.5', 'nonsense, 192.168.3.4', '192.168.3.4'],
    ['10.0.0.5', `198.51.100.1${','.repeat(100_000)}`, '10.0.0.5'],
    [undefined, '198.51.100.1', 'unknown'],
  ];
  for (const [peer, forwarded, caller] of CASES) {
    assert.equal(callerOf(proxies, peer, forwarded), caller, `${peer} ${forwarded?.slice(0, 50)}`);
  }
  assert.equal(callerOf([], '10.0.0.5', '198.51.100.1'), '10.0.0.5');
});

test('a caller is an IPv4 address or a network of IPv6 addresses', () => {
  const CASES: readonly (readonly [string | undefined, string])[] = [
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:10.0.0.7', '10.0.0.7'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    [undefined, 'unknown'],
  ];
  for (const [address, expected] of CASES) assert.equal(callerNetwork(address), expected);
});

test('an address or a network is read, and nothing else', () => {
  assert.deepEqual(readSubnet('10.0.0.0/8'), ['10.0.0.0', 8]);
  assert.deepEqual(readSubnet('::1'), ['::1', 128]);
  for (const text of ['', 'proxy', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '10.0.0/8']) {
    assert.equal(readSubnet(text), null, text);
  }
});

const addressIn = async (api: Parameters<Parameters<typeof describeRequests>[1]>[0], deviceId: string) =>
  (await api.get(`/v1/audit?device_id=${deviceId}`)).body.data[0].address;

describeRequests('the address of a caller without trusted proxies', (api) => {
  test('is that of the connection', async () => {
    await api.post(SILOS, siloNamed('direct'), { 'x-forwarded-for': '198.51.100.1' });
    assert.equal(await addressIn(api, 'direct'), '127.0.0.1');
  });
});

describeRequests(
  'the address of a caller behind a trusted proxy',
  (api) => {
    test('is in the audit log, and failures are counted by it', async () => {
      await api.post(SILOS, siloNamed('proxied'), { 'x-forwarded-for': '6.6.6.6, 198.51.100.1' });
      assert.equal(await addressIn(api, 'proxied'), '198.51.100.1');
      const guess = async (from: string) =>
        (await api.as(`a-guess-of-some-length-from-${from}`).get('/v1/keys', { 'x-forwarded-for': from }))
          .status;
      for (let i = 0; i < 11; i++) await guess('198.51.100.2');
      assert.deepEqual([await guess('198.51.100.2'), await guess('198.51.100.3')], [429, 401]);
    });
  },
  { GRANARY_TRUSTED_PROXIES: '127.0.0.1, ::1' },
);
