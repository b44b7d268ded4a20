import { generateKeyPairSync, hash, randomBytes, sign } from 'node:crypto';

const PRESENT_AND_VERIFIED = 0x05;
const HAS_CREDENTIAL = 0x40;

interface Faults {
  readonly origin?: string;
  readonly type?: string;
  readonly flags?: number;
  readonly rpId?: string;
  readonly signCount?: number;
  readonly crossOrigin?: boolean;
}

/** An authenticator that does what browsers and phones do, and can also do it wrongly. */
export class SoftwarePasskey {
  readonly credentialId = randomBytes(32);
  readonly #keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  readonly #origin: string;
  #signCount = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** The values that a page sends for a new passkey. */
  created(challenge: string, faults: Faults = {}) {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.credentialId.length);
    // The public key follows in a form that the service does not read.
    const credential = Buffer.concat([Buffer.alloc(16), length, this.credentialId, randomBytes(77)]);
    const data = this.#data({ flags: PRESENT_AND_VERIFIED | HAS_CREDENTIAL, ...faults });
    return {
      credential_id: this.credentialId.toString('base64url'),
      client_data: this.#client(challenge, { type: 'webauthn.create', ...faults }).toString('base64url'),
      authenticator_data: Buffer.concat([data, credential]).toString('base64url'),
      public_key: this.#keys.publicKey.export({ format: 'der', type: 'spki' }).toString('base64url'),
    };
  }

  /** The values that a page sends to sign in. */
  signed(challenge: string, faults: Faults = {}) {
    this.#signCount++;
    const client = this.#client(challenge, { type: 'webauthn.get', ...faults });
    const data = this.#data(faults);
    const signature = sign(
      'sha256',
      Buffer.concat([data, hash('sha256', client, 'buffer')]),
      this.#keys.privateKey,
    );
    return {
      credential_id: this.credentialId.toString('base64url'),
      client_data: client.toString('base64url'),
      authenticator_data: data.toString('base64url'),
      signature: signature.toString('base64url'),
    };
  }

  #client(challenge: string, { type, origin = this.#origin, crossOrigin = false }: Faults): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }));
  }

  #data({ flags = PRESENT_AND_VERIFIED, rpId, signCount = this.#signCount }: Faults): Buffer {
    const rest = Buffer.alloc(5);
    rest.writeUInt8(flags);
    rest.writeUInt32BE(signCount, 1);
    return Buffer.concat([hash('sha256', rpId ?? new URL(this.#origin).hostname, 'buffer'), rest]);
  }
}
