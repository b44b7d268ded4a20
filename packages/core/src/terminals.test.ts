import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canAccess, type Grant, grantOf, hasScope, limitsWith } from './keys.ts';
import { grantsAt, isEasyPin, mayEnrolAt, maySignInAt, terminalGrant } from './terminals.ts';

const HERE = { grants: [terminalGrant('terminal', ['north', 'south'])] };
const at = (...grants: Grant[]) => ({ grants: grantsAt(HERE, { grants }) });

test('a person at a terminal operates where both may, and reads and stops wherever the terminal does', () => {
  const person = at(grantOf(['read', 'operate'], ['north', 'west']), grantOf(['read', 'configure', 'admin']));
  assert.deepEqual(limitsWith(person, 'operate'), [{ facilities: ['north'], deviceIds: null }]);
  assert.deepEqual(limitsWith(person, 'configure'), [{ facilities: ['north', 'south'], deviceIds: null }]);
  assert.equal(hasScope(person, 'admin'), false, 'a PIN is too little for that');
  assert.deepEqual(limitsWith(person, 'read'), limitsWith(HERE, 'read'), 'so its streams go on');
  const ofDevice = at(grantOf(['operate'], null, ['silo-1']));
  assert.equal(canAccess(limitsWith(ofDevice, 'operate'), { deviceId: 'silo-1', facility: 'south' }), true);
  assert.equal(canAccess(limitsWith(ofDevice, 'operate'), { deviceId: 'silo-1', facility: 'west' }), false);
  assert.deepEqual(limitsWith(ofDevice, 'read'), limitsWith(HERE, 'read'));
});

test('a person never does more at a terminal than elsewhere, but for what the locked terminal does', () => {
  const facilities = fc.option(fc.uniqueArray(fc.constantFrom('north', 'south', 'west'), { minLength: 1 }));
  const deviceIds = fc.option(fc.uniqueArray(fc.constantFrom('a', 'b'), { minLength: 1 }));
  const scopes = fc.uniqueArray(fc.constantFrom('read', 'stop', 'operate', 'configure', 'admin'), {
    minLength: 1,
  });
  const grant = fc.record({ scopes, facilities, deviceIds }).map((one) => ({ role: null, ...one }) as Grant);
  const place = fc.record({
    facility: fc.constantFrom('north', 'south', 'west'),
    deviceId: fc.constantFrom('a', 'b'),
  });
  fc.assert(
    fc.property(
      fc.array(grant),
      place,
      fc.constantFrom('operate', 'configure', 'admin'),
      (grants, where, scope) => {
        const may = canAccess(limitsWith(at(...grants), scope), where);
        const elsewhere = canAccess(limitsWith({ grants }, scope), where);
        assert.equal(may, elsewhere && where.facility !== 'west' && scope !== 'admin');
      },
    ),
  );
});

test('only who operates in the facilities of a terminal signs in there', () => {
  const may = (...grants: Grant[]) => maySignInAt(HERE, { grants });
  assert.equal(may(grantOf(['read', 'operate'], ['south'])), true);
  assert.equal(may(grantOf(['operate'])), true);
  assert.equal(may(grantOf(['read', 'configure', 'admin'])), false);
  assert.equal(may(grantOf(['operate'], ['west'])), false);
});

test('a terminal is enrolled by who administers all its facilities', () => {
  const administered = limitsWith({ grants: [grantOf(['admin'], ['north'])] }, 'admin');
  assert.equal(mayEnrolAt(administered, ['north']), true);
  assert.equal(mayEnrolAt(administered, ['north', 'south']), false);
  assert.equal(mayEnrolAt([{ facilities: null, deviceIds: ['a'] }], ['north']), false);
  assert.equal(mayEnrolAt([{ facilities: null, deviceIds: null }], ['north', 'south']), true);
});

test('PINs that everybody tries first are refused', () => {
  for (const pin of ['0000', '7777777', '1234', '7890', '12345678', '4321', '9876', '1212', '474747']) {
    assert.equal(isEasyPin(pin), true, pin);
  }
  for (const pin of ['4071', '1235', '1357', '90210', '12341', '00000001']) {
    assert.equal(isEasyPin(pin), false, pin);
  }
});
