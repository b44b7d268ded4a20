import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { UNLIMITED } from '../keys.ts';
import { csvRows, separatorOf } from './csv.ts';
import { readDevices } from './import-devices.ts';

const cellsOf = (text: string) => [...csvRows(text, separatorOf(text))].map(({ cells }) => cells);

const HEAD = 'device_id;profile;name;model;facility;zone;capacity_kg;label.product';
const ROW = 'silo-1;silo_scale;Silo 1;GS;north;yard;20000,5;wheat';
const read = (...rows: readonly string[]) => [...readDevices([HEAD, ...rows].join('\r\n'), UNLIMITED)];
const faultsOf = (...rows: readonly string[]) =>
  read(...rows).flatMap((one) =>
    'faults' in one ? one.faults.map(({ path, message }) => `${path} ${message}`) : [],
  );

describe('a CSV file', () => {
  it('has quotes, separators and line ends of every kind', () => {
    assert.deepEqual(cellsOf('a,b\n"x, ""y""\n2",z'), [
      ['a', 'b'],
      ['x, "y"\n2', 'z'],
    ]);
    assert.deepEqual(cellsOf('\ufeffa;b\r\n1;"2"\r\n'), [
      ['a', 'b'],
      ['1', '2'],
    ]);
    assert.deepEqual(cellsOf('a\tb\r1\t\r'), [
      ['a', 'b'],
      ['1', ''],
    ]);
    assert.deepEqual(
      [...csvRows('a\n"b', ',')].map(({ fault }) => fault),
      [undefined, 'open_quote'],
    );
    assert.equal([...csvRows('"a"b', ',')][0]?.fault, 'text_after_quote');
    assert.equal([...csvRows(','.repeat(1_000), ',')][0]?.fault, 'too_many_cells');
  });

  it('is read as it was written, whatever the cells hold', () => {
    const cell = fc.string({ unit: 'grapheme' }).map((text) => text.trim());
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1 }), (rows) => {
        const text = rows.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join());
        const found = [...csvRows(text.join('\r\n'), ',')].map(({ cells }) => cells);
        assert.deepEqual(found, rows);
      }),
    );
  });
});

describe('the devices of a file', () => {
  it('are understood, and empty rows are passed over', () => {
    const [silo, rover] = read(ROW, ';;;;;;;', 'rover-1;rover;Rover;FR;north;field;;');
    assert.deepEqual(silo, {
      row: 2,
      device: {
        device_id: 'silo-1',
        profile: 'silo_scale',
        name: 'Silo 1',
        model: 'GS',
        location: { facility: 'north', zone: 'yard' },
        labels: { product: 'wheat' },
        capacity: { max: 20_000.5, unit: 'kg' },
      },
    });
    assert.ok(rover !== undefined && 'device' in rover && rover.row === 4);
  });

  it('are refused with row and column', () => {
    assert.deepEqual(faultsOf(ROW, ROW), ['/rows/3/device_id is that of row 2']);
    const plain = 'must be a number without separators of thousands, such as 20000 or 20000.5';
    for (const wrong of ['20.000', '20 000', '2e4', 'much']) {
      assert.deepEqual(faultsOf(ROW.replace('20000,5', wrong)), [`/rows/2/capacity_kg ${plain}`]);
    }
    assert.deepEqual(faultsOf(ROW.replace('20000,5', '')), ['/rows/2/capacity_kg is required']);
    assert.match(faultsOf(ROW.replace('silo-1', 'silo 1'))[0] ?? '', /^\/rows\/2\/device_id must be 1 to 64/);
    assert.match(faultsOf(ROW.replace('north', ''))[0] ?? '', /^\/rows\/2\/facility is required/);
    assert.deepEqual(faultsOf(`${ROW};more`), ['/rows/2 has more cells than the first row']);
    assert.match(faultsOf(ROW.replace('silo_scale', 'barn'))[0] ?? '', /^\/rows\/2\/profile must be one of/);
    const limited = [...readDevices(`${HEAD}\n${ROW}`, [{ facilities: ['south'], deviceIds: null }])];
    assert.match(JSON.stringify(limited), /\/rows\/2\/facility.*where this key may register no device/);
  });

  it('need known columns', () => {
    const heads = [...readDevices('device_id,colour,name,name', UNLIMITED)];
    const paths = heads.flatMap((one) => ('faults' in one ? one.faults.map(({ path }) => path) : []));
    assert.deepEqual(
      paths,
      ['colour', 'name', 'profile', 'model', 'facility', 'zone'].map((n) => `/rows/1/${n}`),
    );
  });
});
