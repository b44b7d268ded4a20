import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Claims, claimedGroups, claimedPerson, grantsOfGroups, policyOf } from './sign-on.ts';

/** Claims as the documents of the providers show them. */
const ENTRA: Claims = {
  ver: '2.0',
  iss: 'https://login.microsoftonline.com/9122040d-6c67-4c5b-b112-36a304b66dad/v2.0',
  sub: 'AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ',
  aud: '6cb04018-a3f5-46a7-b995-940c78f5aef3',
  name: 'Abe Lincoln',
  preferred_username: 'AbeLi@contoso.com',
  oid: '00000000-0000-0000-66f3-3332eca7ea81',
  tid: '9122040d-6c67-4c5b-b112-36a304b66dad',
  groups: ['02bd9fd6-8f93-4758-87c3-1fb73740a315', '06d0c8a1-1b5c-4a5e-9e1f-4f2b3d5a6c7e'],
  roles: ['Granary.Operator'],
};
const ENTRA_TOO_MANY: Claims = {
  ...ENTRA,
  groups: undefined,
  _claim_names: { groups: 'src1' },
  _claim_sources: { src1: { endpoint: 'https://graph.windows.net/…/getMemberObjects' } },
};
const KEYCLOAK: Claims = {
  iss: 'https://id.example/realms/farm',
  sub: 'f:3c1f:ada',
  typ: 'ID',
  sid: '0f1ae5b2-4a2d-4c2e-9a3c-0b6a8a6c3b77',
  name: 'Ada Lovelace',
  preferred_username: 'ada',
  email: 'ada@example.com',
  email_verified: false,
  realm_access: { roles: ['offline_access', 'silo-operators'] },
  resource_access: { granary: { roles: ['operator'] } },
  groups: ['/silos/north'],
};
const AUTHENTIK: Claims = {
  iss: 'https://auth.example/application/o/granary/',
  sub: '2f3c9d0b6a…'.replace('…', 'e1'),
  name: 'Ada Lovelace',
  nickname: 'ada',
  preferred_username: 'ada',
  email: 'ada@example.com',
  email_verified: true,
  groups: ['authentik Admins', 'silo-operators'],
};
const GOOGLE: Claims = {
  iss: 'https://accounts.google.com',
  sub: '10769150350006150715113082367',
  hd: 'example.com',
  email: 'jsmith@example.com',
  email_verified: true,
  name: 'J. Smith',
};

test('finds the groups of each provider', () => {
  const groupsAt = (claims: Claims, path: string) => claimedGroups(claims, path).groups;
  assert.equal(groupsAt(ENTRA, 'groups').length, 2);
  assert.deepEqual(groupsAt(ENTRA, 'roles'), ['Granary.Operator']);
  assert.deepEqual(groupsAt(KEYCLOAK, 'realm_access.roles'), ['offline_access', 'silo-operators']);
  assert.deepEqual(groupsAt(KEYCLOAK, 'resource_access.granary.roles'), ['operator']);
  assert.deepEqual(groupsAt(KEYCLOAK, 'groups'), ['/silos/north']);
  assert.deepEqual(groupsAt(AUTHENTIK, 'groups'), ['authentik Admins', 'silo-operators']);
  assert.deepEqual(groupsAt(GOOGLE, 'hd'), ['example.com']);
  assert.deepEqual(groupsAt(GOOGLE, 'groups'), []);
});

test('a claim whose name has dots is found before a path', () => {
  const claims = { 'https://example.com/roles': 'a', 'x.y': ['b'], x: { y: ['c'] } };
  assert.deepEqual(claimedGroups(claims, 'https://example.com/roles').groups, ['a']);
  assert.deepEqual(claimedGroups(claims, 'x.y').groups, ['b']);
});

test('recognises that Entra has left the groups out', () => {
  assert.deepEqual(claimedGroups(ENTRA_TOO_MANY, 'groups'), { groups: [], areLeftOut: true });
  assert.deepEqual(claimedGroups(ENTRA_TOO_MANY, 'roles'), {
    groups: ['Granary.Operator'],
    areLeftOut: false,
  });
  assert.equal(claimedGroups({ hasgroups: true }, 'groups').areLeftOut, true);
  assert.equal(claimedGroups({}, 'groups').areLeftOut, false);
});

test('an address that nobody has verified is no group', () => {
  assert.deepEqual(claimedGroups(GOOGLE, 'email').groups, ['jsmith@example.com']);
  for (const email_verified of [false, undefined, 'true']) {
    assert.deepEqual(claimedGroups({ ...GOOGLE, email_verified }, 'email').groups, []);
  }
});

test('what is no text is no group, and hostile names lead nowhere', () => {
  const odd = [1, null, '', ['a'], { b: 1 }, 'x'.repeat(501), 'good', 'good'];
  assert.deepEqual(claimedGroups({ groups: odd }, 'groups').groups, ['good']);
  for (const path of ['__proto__', 'constructor.name', 'groups.length', 'a..b', '.', '']) {
    assert.deepEqual(claimedGroups({ groups: ['a'] }, path), { groups: [], areLeftOut: false });
  }
  const many = Array.from({ length: 5_000 }, (_, index) => `g${index}`);
  assert.equal(claimedGroups({ groups: many }, 'groups').groups.length, 2_000);
});

test('a person has a name, and a name for signing in without other characters', () => {
  assert.deepEqual(claimedPerson(ENTRA), { name: 'Abe Lincoln', email: null, login: 'abeli' });
  assert.deepEqual(claimedPerson(KEYCLOAK), { name: 'Ada Lovelace', email: 'ada@example.com', login: 'ada' });
  assert.deepEqual(claimedPerson(GOOGLE).login, 'jsmith');
  assert.deepEqual(claimedPerson({}), { name: 'unnamed', email: null, login: 'person' });
  assert.deepEqual(claimedPerson({ name: ' \u0000\n', preferred_username: '__Jörg Äö@x' }), {
    name: '__Jörg Äö@x',
    email: null,
    login: 'jorg-ao',
  });
  assert.equal(claimedPerson({ name: 'x'.repeat(1_000) }).name.length, 200);
  assert.equal(claimedPerson({ name: '\u202eadA\u2028\u200b' }).name, 'adA');
  assert.equal(claimedPerson({ name: 'Ada\ufe0f\u200d' }).name, 'Ada');
  assert.equal(claimedPerson({ name: 'علی\u200cرضا' }).name, 'علی\u200cرضا');
});

test('groups give what the policy says, and the group of the settings everything', () => {
  const policy = policyOf({
    groups: [
      { group: 'a', role: 'operator', facilities: ['north'] },
      { group: 'a', role: 'viewer' },
      { group: 'b', role: 'engineer' },
    ],
  });
  const roles = (groups: string[], adminGroup: string | null = null) =>
    grantsOfGroups(policy, groups, adminGroup).map(({ role, facilities, source }) => [
      role,
      facilities,
      source,
    ]);
  assert.deepEqual(roles(['a', 'other']), [
    ['operator', ['north'], 'oidc'],
    ['viewer', null, 'oidc'],
  ]);
  assert.deepEqual(roles([]), []);
  assert.deepEqual(roles(['A']), []);
  assert.deepEqual(roles(['boss'], 'boss'), [['administrator', null, 'oidc']]);
});
