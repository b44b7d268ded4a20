import type { ProfileName } from '@granary/contract/profiles/profiles';
import type { MessagePlace, MessageProtocol, MessageSettings } from './message-place.ts';
import type { ModbusPlace, ModbusSettings } from './modbus-place.ts';
import type { ValueRules } from './value.ts';

export const EVIDENCE = ['documented', 'peer', 'hardware'] as const;
type Evidence = (typeof EVIDENCE)[number];

/** One value of a device; a repeated point of the file is several of these. */
export interface Point<Place> {
  readonly name: string;
  /** The sensor that gets the value: a channel of the profile, or one that is declared. */
  readonly sensor: string | null;
  /** What a declared sensor measures, such as `temperature`. */
  readonly kind: string | null;
  readonly decimals: number | null;
  readonly everyMs: number;
  /** The number in the manual, for people. */
  readonly doc: string | null;
  readonly rules: ValueRules;
  readonly place: Place;
}

/** What an example of a mapping expects of one point. */
export interface Expected {
  readonly value?: number | null;
  readonly unit?: string;
  readonly quality?: 'good' | 'bad';
  readonly reason?: string;
}

export interface Example {
  readonly line: number;
  /** The fields that its protocol knows. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly gives: Readonly<Record<string, Expected>>;
}

interface MappingOf<Protocol extends string, Place, Settings> {
  readonly name: string;
  readonly version: number;
  readonly title: string;
  /** The document, and its pages, in which everything here was read. */
  readonly source: string;
  readonly evidence: Evidence;
  readonly protocol: Protocol;
  /** The profile that most of these devices have. */
  readonly profile: ProfileName | null;
  readonly points: readonly Point<Place>[];
  readonly settings: Settings;
  readonly examples: readonly Example[];
}

export type ModbusMapping = MappingOf<'modbus', ModbusPlace, ModbusSettings>;

type MessageMapping = MappingOf<MessageProtocol, MessagePlace, MessageSettings>;

/** Each protocol adds its own here: where a point is found, and how the device wants to be asked. */
export type Mapping = ModbusMapping | MessageMapping;
export type ProtocolName = Mapping['protocol'];
