import { DEFAULT_PRECISION, type SensorDeclaration } from '@granary/contract/devices/sensors';
import { Refusal } from '@granary/contract/errors';
import type { ValidationIssue } from '@granary/contract/input/schema';
import { issueOf } from '@granary/contract/input/validation-issues';
import { sentence } from '@granary/contract/sentences/codes';
import { CHANNEL_NAMES } from '@granary/contract/telemetry/channels';
import { type DeclaredSensor, type DeclaredSensors, largestValue } from './declared-sensors.ts';
import { type Lane, SLOTS_PER_GROUP, type Slot } from './sensor.ts';

/** Groups below are for the standard sensors of all profiles. */
const FIRST_GROUP = 100;
/** Removed sensors are stored too; without a limit a program that renames its sensors would fill the document. */
export const SENSORS_EVER_MAX = 512;

/** Names that have another meaning in telemetry, histories and rules. */
const RESERVED: ReadonlySet<string> = new Set([...CHANNEL_NAMES, 'level', 'ts', 'sensors']);

/** Replaces the sensors in use; sensors that are missing in the new list are removed, and those declared again continue. */
export function declareSensors(
  before: DeclaredSensors,
  declarations: readonly SensorDeclaration[],
): DeclaredSensors {
  refuse('invalid_input', invalidIn(declarations));
  const known = new Map(before.sensors.map((sensor) => [sensor.sensorId, sensor]));
  refuse('sensor_conflict', conflictsIn(declarations, known));
  const wanted = new Set(declarations.map(({ sensor_id }) => sensor_id));
  const removed = before.sensors
    .filter(({ sensorId }) => !wanted.has(sensorId))
    .map((sensor) => ({ ...sensor, isRemoved: true }));
  let lanes = before.sensors.length;
  const inUse = declarations.map((declaration) => {
    const lane = known.get(declaration.sensor_id)?.lane ?? laneAt(lanes++);
    return declaredSensor(declaration, lane);
  });
  if (lanes > SENSORS_EVER_MAX) {
    const message = `a device can have ${SENSORS_EVER_MAX} different sensors over time; this would be ${lanes}`;
    throw new Refusal('sensor_conflict', message, [{ path: '/sensors', message }]);
  }
  return { sensors: [...inUse, ...removed] };
}

function refuse(code: 'invalid_input' | 'sensor_conflict', issues: readonly ValidationIssue[]): void {
  const [first] = issues;
  if (first === undefined) return;
  throw new Refusal(code, `the sensors cannot be declared: ${first.path} ${first.message}`, issues);
}

/** Every declared sensor has one lane, so their number is the number of the next one. */
const laneAt = (index: number): Lane => ({
  group: FIRST_GROUP + Math.floor(index / SLOTS_PER_GROUP),
  slot: (index % SLOTS_PER_GROUP) as Slot,
});

const declaredSensor = (declaration: SensorDeclaration, lane: Lane): DeclaredSensor => {
  const { precision = DEFAULT_PRECISION } = declaration;
  const largest = largestValue(precision);
  return {
    sensorId: declaration.sensor_id,
    type: declaration.type,
    unit: declaration.unit,
    precision,
    min: declaration.min ?? -largest,
    max: declaration.max ?? largest,
    reportingIntervalS: declaration.reporting_interval_s ?? null,
    ...(declaration.position === undefined ? {} : { position: declaration.position }),
    lane,
    isRemoved: false,
  };
};

function invalidIn(declarations: readonly SensorDeclaration[]): ValidationIssue[] {
  const seen = new Set<string>();
  const places = new Set<string>();
  return declarations.flatMap(({ sensor_id, precision, min, max, position }, index) => {
    const issues: ValidationIssue[] = [];
    const at = (name: string) => `/sensors/${index}/${name}`;
    if (seen.has(sensor_id)) issues.push(issueOf(at('sensor_id'), sentence('is_declared_twice')));
    seen.add(sensor_id);
    const place = position === undefined ? '' : `${position.cable}/${position.point}`;
    if (places.has(place)) issues.push(issueOf(at('position'), sentence('is_that_of_another_sensor')));
    if (place !== '') places.add(place);
    const largest = largestValue(precision);
    for (const [name, value] of Object.entries({ min, max })) {
      if (value === undefined || Math.abs(value) <= largest) continue;
      const message = `must be from ${-largest} to ${largest}, which can be stored with this precision`;
      issues.push({ path: at(name), message });
    }
    const [lowest, highest] = [min ?? -largest, max ?? largest];
    if (lowest >= highest) issues.push(issueOf(at('max'), sentence('must_be_greater_than_min')));
    return issues;
  });
}

function conflictsIn(
  declarations: readonly SensorDeclaration[],
  known: ReadonlyMap<string, DeclaredSensor>,
): ValidationIssue[] {
  return declarations.flatMap((declaration, index): ValidationIssue[] => {
    const { sensor_id, type, unit, precision = DEFAULT_PRECISION } = declaration;
    const at = (name: string) => `/sensors/${index}/${name}`;
    if (RESERVED.has(sensor_id)) {
      return [issueOf(at('sensor_id'), sentence('is_a_standard_name'))];
    }
    const before = known.get(sensor_id);
    if (before === undefined) return [];
    // Stored values would change their meaning.
    return Object.entries({ type, unit, precision }).flatMap(([name, value]) => {
      const declared = before[name as 'type' | 'unit' | 'precision'];
      const message = `was declared as ${declared}, and its history depends on it; use another sensor_id`;
      return value === declared ? [] : [{ path: at(name), message }];
    });
  });
}
