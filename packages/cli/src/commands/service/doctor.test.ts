import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@granary/client';
import { accessFinding, signOnFindings } from './doctor.ts';

test('devices that the external broker does not know are a warning with a cure', () => {
  const { verdict, message, cure } = accessFinding(3);
  assert.deepEqual([verdict, message], ['warn', 'the broker does not know the credentials of 3 devices']);
  assert.match(cure ?? '', /credentials/);
  assert.equal(accessFinding(0).verdict, 'ok');
});

test('an identity provider that does not answer is a warning with a cure, and none is no finding', async () => {
  const told = (answers: boolean, failure: string | null) =>
    signOnFindings({
      signOn: {
        provider: async () => ({
          issuer: 'https://id.example',
          client_id: 'granary',
          groups_claim: 'groups',
          admin_group: null,
          callback_path: '/callback',
          logout_path: '/logout',
          answers,
          failure,
        }),
      },
    });
  const [away] = await told(false, 'it does not answer');
  assert.deepEqual([away?.verdict, away?.message], ['warn', 'https://id.example: it does not answer']);
  assert.match(away?.cure ?? '', /GRANARY_OIDC_ISSUER/);
  assert.equal((await told(true, null))[0]?.verdict, 'ok');
  const refused = new ApiError({ status: 404, code: 'route_not_found', message: 'not set up' });
  assert.deepEqual(await signOnFindings({ signOn: { provider: () => Promise.reject(refused) } }), []);
});
