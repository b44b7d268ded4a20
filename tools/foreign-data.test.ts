import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import { Announcements } from '@granary/bridge/discovery/home-assistant';
import { AnswerReader, dataOf } from '@granary/bridge/drivers/modbus/frame';
import { ReadError } from '@granary/bridge/drivers/read-error';
import { NmeaReader } from '@granary/bridge/drivers/stream/nmea';
import { readMapping } from '@granary/bridge/mapping/read-mapping';
import { matchPattern, parsePattern } from '@granary/bridge/mapping/text-pattern';
import { Refusal } from '@granary/contract/errors';
import { readJson } from '@granary/contract/input/json';
import { UP_SUBJECTS } from '@granary/contract/link/messages';
import { PROFILE_NAMES } from '@granary/contract/profiles/profiles';
import { readDevices } from '@granary/core/bulk/import-devices';
import { UNLIMITED } from '@granary/core/keys';
import { claimedGroups, claimedPerson } from '@granary/core/sign-on';
import { decode } from '@granary/link/codec';
import { ControlRequests } from '@granary/link/external/access/control-requests';
import { encrypted, isPublicKey } from '@granary/server/background/notifications/pusher';
import { checkedPasskey, isSignedBy, passkeyPublicKey } from '@granary/server/process/keys/passkeys';
import { hostileBytes, hostileText, hostileValue } from '@granary/testing/hostile-values';
import fc from 'fast-check';

/**
 * Every reader of data that devices, brokers, providers, browsers and callers send. A reader may refuse the data, and must
 * not throw any other error; `refuses` says which error is a refusal. Drivers, discovery and pages have their own tests with
 * the same values.
 */
interface Reader<Given> {
  readonly reads: (given: Given) => unknown;
  readonly refuses?: (error: unknown) => boolean;
}

const base64url = (text: string): string => Buffer.from(text).toString('base64url');
const isRefusal = (error: unknown): boolean => error instanceof Refusal;
const { publicKey: keyOfPasskey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const SPKI = keyOfPasskey.export({ format: 'der', type: 'spki' }).toString('base64url');
const PATTERN = parsePattern('{status:2},{weight:number} {unit:word}') ?? [];

const OF_TEXTS: Readonly<Record<string, Reader<string>>> = {
  'a body in JSON': { reads: readJson, refuses: isRefusal },
  'a mapping in YAML': { reads: readMapping },
  'a table of devices in CSV': { reads: (text) => [...readDevices(`id,name\n${text}`, UNLIMITED)] },
  'a line of an indicator': { reads: (text) => matchPattern(PATTERN, text) },
  'a line of a receiver of positions': { reads: (text) => new NmeaReader().read(text) },
  'an answer of the dynamic security plugin': { reads: (text) => new ControlRequests().received(text) },
  'the key of a passkey': { reads: (text) => passkeyPublicKey(base64url(text)) },
  'what a browser says about a passkey': {
    reads: (text) =>
      checkedPasskey(
        { client_data: base64url(text), authenticator_data: base64url(text) },
        { type: 'webauthn.get', isOwn: () => true },
      ),
  },
  'the signature of a passkey': {
    reads: (text) =>
      isSignedBy(SPKI, { client_data: text, authenticator_data: text, signature: base64url(text) }),
  },
  'the key of a browser for messages': {
    reads: (text) => isPublicKey(text) && encrypted('a message', { p256dh: text, auth: base64url(text) }),
  },
};

const OF_VALUES: Readonly<Record<string, Reader<unknown>>> = {
  'the claims of an identity provider': {
    reads: (value) => {
      const claims = { name: value, preferred_username: value, email: value, groups: value, sub: value };
      claimedPerson(claims);
      for (const path of ['groups', 'name.a', 'groups.0']) claimedGroups(claims, path);
    },
  },
  'an announcement of Home Assistant': {
    reads: (value) => {
      const announcements = new Announcements('homeassistant');
      announcements.add('homeassistant/sensor/a/config', JSON.stringify(value));
      return announcements.devices();
    },
  },
  'an answer of the dynamic security plugin in its form': {
    reads: (value) => {
      for (const responses of [value, [value], [{ correlationData: value }]])
        new ControlRequests().received(JSON.stringify({ responses }));
    },
  },
};

const OF_BYTES: Readonly<Record<string, Reader<Buffer>>> = {
  'a message of a device': {
    reads: (bytes) => {
      for (const profile of PROFILE_NAMES) for (const subject of UP_SUBJECTS) decode(profile, subject, bytes);
    },
  },
  'an answer of Modbus': {
    reads: (bytes) => {
      for (const framing of ['tcp', 'rtu'] as const)
        for (const frame of new AnswerReader(framing).push(bytes))
          dataOf({ functionCode: 3, at: 0, count: 2 }, 1, frame);
    },
    refuses: (error) => error instanceof ReadError,
  },
};

const taken =
  <Given>({ reads, refuses = () => false }: Reader<Given>) =>
  (given: Given): void => {
    try {
      reads(given);
    } catch (error) {
      if (!refuses(error)) throw error;
    }
  };

describe('no foreign data is too much for its reader', () => {
  const readersOf = <Given>(readers: Readonly<Record<string, Reader<Given>>>, given: fc.Arbitrary<Given>) => {
    for (const [name, reader] of Object.entries(readers))
      test(name, () => fc.assert(fc.property(given, taken(reader)), { numRuns: 200 }));
  };
  readersOf(OF_TEXTS, hostileText);
  readersOf(OF_VALUES, hostileValue);
  readersOf(OF_BYTES, hostileBytes);
});
