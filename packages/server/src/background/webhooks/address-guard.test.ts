import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { describe, it } from 'node:test';
import { AddressGuard, AddressRefused, type Resolve } from './address-guard.ts';

const PUBLIC = ['8.8.8.8', '1.1.1.1', '100.63.255.255', '172.32.0.1', '2a00:1450:4001::1', '2606:4700::1'];
const PRIVATE = [
  '127.0.0.1',
  '127.255.255.254',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '::1',
  'fc00::1',
  'fdff::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
];
const RESERVED = [
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::7f00:1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '2002:7f00:1::1',
  '2001::1',
  '2001:db8::1',
  '100::1',
  '::ffff:169.254.169.254',
];

describe('the addresses that webhooks may reach', () => {
  it('are the public ones', () => {
    const guard = new AddressGuard(false);
    for (const address of PUBLIC) assert.equal(guard.accepts(address), true, address);
    for (const address of [...PRIVATE, ...RESERVED]) assert.equal(guard.accepts(address), false, address);
  });

  it('are also the private ones where a setting allows them, but never the reserved ones', () => {
    const guard = new AddressGuard(true);
    for (const address of [...PUBLIC, ...PRIVATE]) assert.equal(guard.accepts(address), true, address);
    for (const address of RESERVED) assert.equal(guard.accepts(address), false, address);
  });

  it('are recognised in every way to write a literal address', () => {
    const guard = new AddressGuard(false);
    const odd = [
      '2130706433',
      '0x7f.1',
      '0177.0.0.1',
      '127.1',
      '127.0.0.1.',
      '[::1]',
      '[::ffff:7f00:1]',
      '0',
    ];
    for (const host of [...odd, '①②⑦.0.0.1', '%31%32%37.0.0.1']) {
      assert.equal(guard.acceptsHost(new URL(`http://${host}/`).hostname), false, host);
    }
    assert.equal(guard.acceptsHost(new URL('http://8.8.8.8/').hostname), true);
    assert.equal(guard.acceptsHost('example.com'), true);
  });
});

describe('the look-up of a name', () => {
  const lookUp = (guard: AddressGuard, all: boolean) =>
    new Promise<unknown>((resolve) => {
      guard.lookup('receiver.test', { all }, (error, addresses) => resolve(error ?? addresses));
    });
  const address = (text: string): LookupAddress => ({ address: text, family: text.includes(':') ? 6 : 4 });

  it('gives only the addresses that may be reached', async () => {
    const guard = new AddressGuard(false, async () => ['10.0.0.1', '8.8.8.8', 'fc00::1'].map(address));
    assert.deepEqual(await lookUp(guard, true), [address('8.8.8.8')]);
    assert.equal(await lookUp(guard, false), '8.8.8.8');
  });

  it('refuses a name that has no other addresses, and passes on faults', async () => {
    for (const all of [true, false]) {
      const inside = new AddressGuard(false, async () => [address('127.0.0.1')]);
      assert.ok((await lookUp(inside, all)) instanceof AddressRefused);
      const unknown = new AddressGuard(false, () => Promise.reject(new Error('ENOTFOUND')));
      assert.match(String(await lookUp(unknown, all)), /ENOTFOUND/);
    }
  });

  it('checks each look-up anew, because a name may resolve to a private address the second time', async () => {
    const answers = ['8.8.8.8', '127.0.0.1'];
    const guard = new AddressGuard(false, async () => [address(answers.shift() ?? '')]);
    assert.equal(await lookUp(guard, false), '8.8.8.8');
    assert.ok((await lookUp(guard, false)) instanceof AddressRefused);
  });

  it('asks once for a name that is being looked up', async () => {
    let asked = 0;
    const answer = Promise.withResolvers<LookupAddress[]>();
    const resolve: Resolve = () => {
      asked++;
      return answer.promise;
    };
    const guard = new AddressGuard(false, resolve);
    const both = [lookUp(guard, true), lookUp(guard, true)];
    answer.resolve([address('8.8.8.8')]);
    await Promise.all(both);
    assert.equal(asked, 1);
    await lookUp(guard, true);
    assert.equal(asked, 2);
  });
});
