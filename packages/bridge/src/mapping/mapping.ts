import type { ProfileName } from '@granary/contract/profiles/profiles';
import type { MessagePlace, MessageProtocol, MessageSettings } from './message-place.ts';
import type { ModbusPlace, ModbusSettings } from './modbus-place.ts';
import type { ValueRules } from './value.ts';

export const EVIDENCE = ['documented', 'peer', 'hardware'] as const;
type Evidence = (typeof EVIDENCE)[number];

/** One value of a device; a repeated point of the file becomes several of these. */
export interface Point<Place> {
  readonly name: string;
  /** The sensor that gets the value: a channel of the profile, or a declared sensor. */
  readonly sensor: string | null;
  /** The quantity that a declared sensor measures, such as `temperature`. */
  readonly kind: string | null;
  readonly decimals: number | null;
  readonly everyMs: number;
  /** The number in the manual, for people. */
  readonly doc: string | null;
  readonly rules: ValueRules;
  readonly place: Place;
}

/** The result that an example of a mapping expects for one point. */
export interface Expected {
  readonly value?: number | null;
  readonly unit?: string;
  readonly quality?: 'good' | 'bad';
  readonly reason?: string;
}

export interface Example {
  readonly line: number;
  /** The fields of the example, which its protocol knows. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly gives: Readonly<Record<string, Expected>>;
}

interface MappingOf<Protocol extends string, Place, Settings> {
  readonly name: string;
  readonly version: number;
  readonly title: string;
  /** The document, with its pages, from which this mapping was made. */
  readonly source: string;
  readonly evidence: Evidence;
  readonly protocol: Protocol;
  /** The profile of most of these devices. */
  readonly profile: ProfileName | null;
  readonly points: readonly Point<Place>[];
  readonly settings: Settings;
  readonly examples: readonly Example[];
}

export type ModbusMapping = MappingOf<'modbus', ModbusPlace, ModbusSettings>;

type MessageMapping = MappingOf<MessageProtocol, MessagePlace, MessageSettings>;

/** The mappings of all protocols. A protocol defines the place of a point and the settings with which the device is asked. */
export type Mapping = ModbusMapping | MessageMapping;
export type ProtocolName = Mapping['protocol'];
