import type { Client } from '@granary/client';
import type { NewPasskey, PasskeyAssertion } from '@granary/contract/passkeys';

/** The numbers of the signature algorithms that the service accepts: ES256, EdDSA, RS256. */
const ALGORITHMS = [-7, -8, -257];

/** The reason why this browser cannot use passkeys at this address; `null` if it can. */
export function passkeyObstacle(): 'address' | 'encryption' | 'browser' | null {
  if (/^[\d.]+$/.test(location.hostname) || location.hostname.startsWith('[')) return 'address';
  if (!isSecureContext) return 'encryption';
  return typeof PublicKeyCredential === 'undefined' ? 'browser' : null;
}

/** Lets the person choose a passkey; fails if they do not. */
export async function assertPasskey(client: Client): Promise<PasskeyAssertion> {
  const { challenge } = await client.session.challenge();
  const credential = await navigator.credentials.get({
    publicKey: {
      challenge: bytesOf(challenge),
      rpId: location.hostname,
      userVerification: 'required',
      allowCredentials: [],
    },
  });
  if (!(credential instanceof PublicKeyCredential)) throw new Error('no passkey was chosen');
  const response = credential.response as AuthenticatorAssertionResponse;
  return {
    credential_id: textOf(credential.rawId),
    client_data: textOf(response.clientDataJSON),
    authenticator_data: textOf(response.authenticatorData),
    signature: textOf(response.signature),
  };
}

interface Owner {
  readonly id: string;
  readonly login: string;
  readonly name: string;
}

/** Lets the person make a passkey on this device, or on a phone. */
export async function makePasskey(
  client: Client,
  { id, login, name }: Owner,
): Promise<Omit<NewPasskey, 'name' | 'current_password'>> {
  const { challenge } = await client.session.challenge();
  const credential = await navigator.credentials.create({
    publicKey: {
      challenge: bytesOf(challenge),
      rp: { id: location.hostname, name: 'Granary' },
      user: { id: new TextEncoder().encode(id), name: login, displayName: name },
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    },
  });
  if (!(credential instanceof PublicKeyCredential)) throw new Error('no passkey was made');
  const response = credential.response as AuthenticatorAttestationResponse;
  const publicKey = response.getPublicKey();
  if (publicKey === null) throw new Error('the authenticator has made a key of another kind');
  return {
    credential_id: textOf(credential.rawId),
    client_data: textOf(response.clientDataJSON),
    authenticator_data: textOf(response.getAuthenticatorData()),
    public_key: textOf(publicKey),
  };
}

/** Bytes as base64url, the form that the service uses. */
function textOf(buffer: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join('');
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(binary, (char) => char.charCodeAt(0));
}
