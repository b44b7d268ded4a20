import assert from 'node:assert/strict';
import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBrowser } from '@granary/testing/server/browser';
import { cookieOf, invite, OWN_PAGE, PASSWORD } from '@granary/testing/server/people';
import { describeRequests } from '@granary/testing/server/service';
import {
  type VerifiedAuthenticationResponse,
  type VerifiedRegistrationResponse,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { CDPSession, Page } from 'playwright-core';

const RP_ID = 'localhost';
const FLAGS_AT = 32;
const COUNT_AT = 33;
const PRESENT = 0x01;
const VERIFIED = 0x04;
const BACKED_UP = 0x10;

/** The values that the page gets from the browser, as bytes in base64url. */
interface Created {
  readonly id: string;
  readonly client: string;
  readonly data: string;
  readonly attestation: string;
  readonly publicKey: string;
}

interface Signed {
  readonly id: string;
  readonly client: string;
  readonly data: string;
  readonly signature: string;
}

const HELPERS = `
  const text = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  const bytes = (given) => Uint8Array.from(atob(given.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));`;

const create = (page: Page, challenge: string): Promise<Created> =>
  page.evaluate(`(async () => { ${HELPERS}
    const made = await navigator.credentials.create({ publicKey: {
      challenge: bytes('${challenge}'), rp: { id: '${RP_ID}', name: 'Granary' },
      user: { id: crypto.getRandomValues(new Uint8Array(16)), name: 'ada', displayName: 'Ada' },
      pubKeyCredParams: [-7, -257].map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' }, attestation: 'none' } });
    return { id: text(made.rawId), client: text(made.response.clientDataJSON), data: text(made.response.getAuthenticatorData()),
      attestation: text(made.response.attestationObject), publicKey: text(made.response.getPublicKey()) };
  })()`);

const get = (page: Page, challenge: string, id: string, verification = 'required'): Promise<Signed> =>
  page.evaluate(`(async () => { ${HELPERS}
    const signed = await navigator.credentials.get({ publicKey: { challenge: bytes('${challenge}'), rpId: '${RP_ID}',
      userVerification: '${verification}', allowCredentials: [{ type: 'public-key', id: bytes('${id}') }] } });
    return { id: text(signed.rawId), client: text(signed.response.clientDataJSON),
      data: text(signed.response.authenticatorData), signature: text(signed.response.signature) };
  })()`);

const bytesOf = (text: string): Buffer => Buffer.from(text, 'base64url');
const sha256 = (bytes: string | Buffer): Buffer => createHash('sha256').update(bytes).digest();

/** Changes the client data. */
const client =
  (fields: object) =>
  (text: string): string =>
    Buffer.from(JSON.stringify({ ...JSON.parse(bytesOf(text).toString()), ...fields })).toString('base64url');

/** Changes the authenticator data. */
const data =
  (change: (bytes: Buffer) => void) =>
  (text: string): string => {
    const bytes = bytesOf(text);
    change(bytes);
    return bytes.toString('base64url');
  };
const flags = (without: number, more = 0) =>
  data((bytes) => void bytes.writeUInt8((bytes.readUInt8(FLAGS_AT) & ~without) | more, FLAGS_AT));
const count = (change: (before: number) => number) =>
  data((bytes) => void bytes.writeUInt32BE(change(bytes.readUInt32BE(COUNT_AT)), COUNT_AT));

interface Fault {
  readonly client?: (text: string) => string;
  readonly data?: (text: string) => string;
  /** True: the signature is made again for the changed data, with the key of the authenticator. False: it is that of the original data. */
  readonly isSigned?: boolean;
}

const COMMON: Readonly<Record<string, Fault>> = {
  'another origin': { client: client({ origin: 'https://evil.example' }) },
  'an origin that begins alike': { client: client({ origin: 'http://localhost.evil.example' }) },
  'another challenge': { client: client({ challenge: 'A'.repeat(43) }) },
  'the challenge of nobody': { client: client({ challenge: '' }) },
  'another host': { data: data((bytes) => void sha256('evil.example').copy(bytes)) },
  'nobody present': { data: flags(PRESENT) },
  'somebody who was not recognised': { data: flags(VERIFIED) },
  'a backup of what is never backed up': { data: flags(0x08, BACKED_UP) },
  'no JSON': { client: () => 'AAAA' },
  'data that is cut off': { data: (text) => bytesOf(text).subarray(0, 36).toString('base64url') },
};
const FRAMES: Readonly<Record<string, Fault>> = {
  'the page of another around ours': {
    client: client({ crossOrigin: true, topOrigin: 'https://evil.example' }),
  },
  'a page around that is not around': { client: client({ topOrigin: 'https://evil.example' }) },
};
const OF_CREATED: Readonly<Record<string, Fault>> = {
  ...COMMON,
  'a signature in place of a passkey': { client: client({ type: 'webauthn.get' }) },
  'no passkey in it': { data: flags(0x40) },
};
const OF_SIGNED: Readonly<Record<string, Fault>> = {
  ...COMMON,
  ...FRAMES,
  'a passkey in place of a signature': { client: client({ type: 'webauthn.create' }) },
  'a count that goes back': { data: count((before) => before - 1) },
  'a count of zero': { data: count(() => 0) },
  'a count that was changed': { data: count((before) => before + 1), isSigned: false },
  'a challenge that was changed': { client: client({ more: 1 }), isSigned: false },
};

/** Each passkey is checked by the service and by a library of others, and the results are compared. */
describeRequests('passkeys of Chromium, and what can be changed of them', (api) => {
  const other = createServer((_request, response) => void response.end('another page on this machine'));
  let otherUrl = '';
  before(async () => {
    other.listen(0, RP_ID);
    await once(other, 'listening');
    otherUrl = `http://${RP_ID}:${(other.address() as AddressInfo).port}`;
  });
  after(() => void other.close().closeAllConnections());

  const address = (): string => api.started.httpUrl.replace('127.0.0.1', RP_ID);
  async function send(method: string, path: string, body: object, cookie = ''): Promise<Response> {
    const headers = { ...OWN_PAGE, cookie, 'content-type': 'application/json' };
    return await fetch(`${address()}${path}`, { method, headers, body: JSON.stringify(body) });
  }
  /** The service makes at most ten challenges in a second, so a refusal is repeated. */
  async function challenge(): Promise<string> {
    const answer = await send('POST', '/v1/session/challenge', {});
    if (answer.status === 200) {
      return ((await answer.json()) as { data: { challenge: string } }).data.challenge;
    }
    assert.equal(answer.status, 429);
    await sleep(100);
    return await challenge();
  }

  async function signedIn(): Promise<string> {
    const { code } = await invite(api, [{ role: 'viewer' }]);
    return cookieOf(await send('POST', '/v1/session', { invite: code, password: PASSWORD }));
  }

  /** Whether this service adds the passkey. */
  const isAdded = async (made: Created, cookie: string): Promise<boolean> => {
    const body = {
      name: 'of Chromium',
      current_password: PASSWORD,
      credential_id: made.id,
      client_data: made.client,
      authenticator_data: made.data,
      public_key: made.publicKey,
    };
    return (await send('PUT', '/v1/me/passkeys', body, cookie)).status === 200;
  };
  const isLetIn = async ({ id, client, data, signature }: Signed): Promise<boolean> => {
    const passkey = { credential_id: id, client_data: client, authenticator_data: data, signature };
    return (await send('POST', '/v1/session', { passkey })).status === 200;
  };

  /** The values that the library expects. */
  const expected = (expectedChallenge: string) => ({
    expectedChallenge,
    expectedOrigin: address(),
    expectedRPID: RP_ID,
    requireUserVerification: true,
  });
  async function addedElsewhere(made: Created, asked: string): Promise<VerifiedRegistrationResponse | null> {
    const response = {
      id: made.id,
      rawId: made.id,
      type: 'public-key' as const,
      clientExtensionResults: {},
      response: { clientDataJSON: made.client, attestationObject: made.attestation },
    };
    return await verifyRegistrationResponse({ response, ...expected(asked) }).catch(() => null);
  }
  type Credential = Parameters<typeof verifyAuthenticationResponse>[0]['credential'];
  async function letInElsewhere(
    { id, client, data, signature }: Signed,
    credential: Credential,
    asked: string,
  ): Promise<VerifiedAuthenticationResponse | null> {
    const response = {
      id,
      rawId: id,
      type: 'public-key' as const,
      clientExtensionResults: {},
      response: { clientDataJSON: client, authenticatorData: data, signature },
    };
    return await verifyAuthenticationResponse({ response, credential, ...expected(asked) }).catch(() => null);
  }

  const opened = async (t: Parameters<typeof openBrowser>[0]) => {
    const context = await openBrowser(t);
    if (context === null) return null;
    const page = await context.newPage();
    await page.goto(`${address()}/healthz`);
    const browser = await context.newCDPSession(page);
    await browser.send('WebAuthn.enable');
    const options = {
      protocol: 'ctap2' as const,
      transport: 'internal' as const,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    };
    const { authenticatorId } = await browser.send('WebAuthn.addVirtualAuthenticator', { options });
    return { page, browser, authenticatorId };
  };

  test('are added where both find nothing wrong, and only there', async (t) => {
    const chromium = await opened(t);
    if (chromium === null) return;
    const { page, browser, authenticatorId } = chromium;
    const cookie = await signedIn();
    const verdicts = async (made: Created, asked: string) => [
      await isAdded(made, cookie),
      (await addedElsewhere(made, asked))?.verified ?? false,
    ];
    for (const [name, fault] of Object.entries({ ...OF_CREATED, ...FRAMES })) {
      const asked = await challenge();
      const made = await create(page, asked);
      // The authenticator has room for only a few passkeys.
      await browser.send('WebAuthn.clearCredentials', { authenticatorId });
      // The library checks whether a page is inside another one only at sign-in.
      assert.deepEqual(await verdicts(changed(made, fault), asked), [false, name in FRAMES], name);
    }
    const fresh = await challenge();
    assert.deepEqual(await verdicts(await create(page, fresh), fresh), [true, true]);
    await page.goto(otherUrl);
    const elsewhere = await challenge();
    assert.deepEqual(await verdicts(await create(page, elsewhere), elsewhere), [false, false]);
  });

  test('let in where both find nothing wrong, and only there', async (t) => {
    const chromium = await opened(t);
    if (chromium === null) return;
    const { page, browser, authenticatorId } = chromium;
    const asked = await challenge();
    const made = await create(page, asked);
    const added = await addedElsewhere(made, asked);
    if (added?.verified !== true) throw new Error('the library has refused a passkey of Chromium');
    assert.equal(await isAdded(made, await signedIn()), true);
    let { credential } = added.registrationInfo;
    const key = await privateKeyOf(browser, authenticatorId);
    const verdicts = async (signed: Signed, challenged: string) => {
      const info = (await letInElsewhere(signed, credential, challenged)) ?? { verified: false };
      if (info.verified && 'authenticationInfo' in info) {
        credential = { ...credential, counter: info.authenticationInfo.newCounter };
      }
      return [await isLetIn(signed), info.verified];
    };
    const fresh = async () => {
      const challenged = await challenge();
      return { signed: await get(page, challenged, made.id), challenged };
    };
    const first = await fresh();
    assert.deepEqual(await verdicts(first.signed, first.challenged), [true, true]);
    for (const [name, fault] of Object.entries(OF_SIGNED)) {
      // Both know the count of the previous signature, so that a count that goes back is the only fault.
      const before = await fresh();
      assert.deepEqual(await verdicts(before.signed, before.challenged), [true, true], name);
      const { signed, challenged } = await fresh();
      const { data, client, isSigned = true } = fault;
      const parts = {
        ...signed,
        client: client?.(signed.client) ?? signed.client,
        data: data?.(signed.data) ?? signed.data,
      };
      const signature = isSigned ? signatureOf(parts, key) : signed.signature;
      assert.deepEqual(await verdicts({ ...parts, signature }, challenged), [false, false], name);
    }
    const resigned = await fresh();
    const signature = signatureOf(resigned.signed, key);
    assert.deepEqual(await verdicts({ ...resigned.signed, signature }, resigned.challenged), [true, true]);
    await browser.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    const absent = await challenge();
    assert.deepEqual(await verdicts(await get(page, absent, made.id, 'discouraged'), absent), [false, false]);
    await browser.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await page.goto(otherUrl);
    const elsewhere = await challenge();
    assert.deepEqual(await verdicts(await get(page, elsewhere, made.id), elsewhere), [false, false]);
  });
});

/** The attestation contains the data of the authenticator, and no signature of that data. */
function changed(made: Created, { client, data }: Fault): Created {
  const after = data?.(made.data) ?? made.data;
  const attestation = bytesOf(made.attestation);
  const at = attestation.indexOf(bytesOf(made.data));
  assert.ok(at > 0);
  const rest = Buffer.concat([attestation.subarray(0, at), bytesOf(after)]);
  return {
    ...made,
    client: client?.(made.client) ?? made.client,
    data: after,
    attestation: rest.toString('base64url'),
  };
}

async function privateKeyOf(browser: CDPSession, authenticatorId: string): Promise<KeyObject> {
  const { credentials } = await browser.send('WebAuthn.getCredentials', { authenticatorId });
  const [{ privateKey } = { privateKey: '' }] = credentials;
  return createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
}

const signatureOf = ({ client, data }: Signed, key: KeyObject): string =>
  sign('sha256', Buffer.concat([bytesOf(data), sha256(bytesOf(client))]), key).toString('base64url');
