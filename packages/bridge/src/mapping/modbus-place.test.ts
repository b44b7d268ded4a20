import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type ModbusPlace, ORDERS, type Order, type RegisterType, rawAt, WIDTHS } from './modbus-place.ts';

const place = (
  type: RegisterType,
  order: Order = 'ABCD',
  mask: number | null = null,
  length = 4,
): ModbusPlace => ({
  table: 'holding',
  at: 0,
  width: WIDTHS[type] ?? length,
  type,
  order,
  mask,
  isAlone: false,
});

const read = (one: ModbusPlace, hex: string) => rawAt(one, Buffer.from(hex, 'hex'), 0).is;

test('the four orders of values of 16, 32 and 64 bits', () => {
  const cases: readonly [RegisterType, Order, string, number | bigint][] = [
    ['u16', 'ABCD', '1234', 0x1234],
    ['u16', 'CDAB', '1234', 0x1234],
    ['u16', 'BADC', '1234', 0x3412],
    ['u16', 'DCBA', '1234', 0x3412],
    ['u32', 'ABCD', '12345678', 0x12345678],
    ['u32', 'CDAB', '56781234', 0x12345678],
    ['u32', 'BADC', '34127856', 0x12345678],
    ['u32', 'DCBA', '78563412', 0x12345678],
    ['u64', 'ABCD', '0123456789abcdef', 0x0123456789abcdefn],
    ['u64', 'CDAB', 'cdef89ab45670123', 0x0123456789abcdefn],
    ['u64', 'BADC', '23016745ab89efcd', 0x0123456789abcdefn],
    ['u64', 'DCBA', 'efcdab8967452301', 0x0123456789abcdefn],
    ['i16', 'ABCD', 'ffff', -1],
    ['i32', 'ABCD', 'ffffffff', -1],
    ['i64', 'ABCD', 'ffffffffffffffff', -1n],
    ['f32', 'ABCD', '41460000', 12.375],
    ['f32', 'CDAB', '00004146', 12.375],
    ['f64', 'ABCD', '4028c00000000000', 12.375],
  ];
  for (const [type, order, hex, value] of cases)
    assert.equal(read(place(type, order), hex), value, `${type} ${order}`);
});

test('each order is the usual one with its words, its bytes, or both reversed', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 8, maxLength: 8 }), (bytes) => {
      const words = [0, 2, 4, 6].map((at) => Buffer.from(bytes).subarray(at, at + 2));
      const swapped = words.map((word) => Buffer.from(word).swap16());
      const sent: Record<Order, Buffer> = {
        ABCD: Buffer.concat(words),
        CDAB: Buffer.concat(words.toReversed()),
        BADC: Buffer.concat(swapped),
        DCBA: Buffer.concat(swapped.toReversed()),
      };
      for (const order of ORDERS)
        assert.equal(rawAt(place('u64', order), sent[order], 0).is, Buffer.from(bytes).readBigUInt64BE());
    }),
  );
});

test('masks, texts and the raw form', () => {
  assert.equal(read(place('u16', 'ABCD', 0xff00), '6507'), 0x65);
  assert.equal(read(place('u16', 'ABCD', 0x00ff), '6507'), 7);
  assert.equal(read(place('u16', 'ABCD', 0x8000), '8000'), 1);
  assert.equal(read(place('u32', 'ABCD', 0xffff0000), 'ff010002'), 0xff01);
  assert.equal(read(place('u32', 'ABCD', 0xffffffff), 'fffffffe'), 0xfffffffe);
  assert.equal(read(place('string'), '6b67202000000000'), 'kg');
  assert.equal(read(place('string', 'BADC'), '676b20200000ffff'), 'kg');
  assert.equal(rawAt(place('u16'), Buffer.from('00ff1234', 'hex'), 2).shown, '1234');
});
