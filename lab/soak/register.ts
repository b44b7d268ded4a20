import { type Credentials, registerRovers, registerSilos } from '../bench/farm.ts';
import type { ServiceProcess } from '../bench/service-process.ts';
import type { FleetMember } from './fleet-devices.ts';

/** Which devices do what. */
export interface Registered {
  readonly members: readonly FleetMember[];
  /** Silos with operations. */
  readonly working: readonly string[];
  /** Silos that become nearly empty from time to time. */
  readonly emptying: readonly string[];
  /** Silos that only report. */
  readonly idle: readonly string[];
  /** Rovers that are stopped. */
  readonly stopped: readonly string[];
  /** Rovers with missions. */
  readonly travelling: readonly string[];
}

/** The shares of the whole. */
const WORKING = 0.12;
const EMPTYING = 0.06;
const STOPPED = 0.02;
const TRAVELLING = 0.02;

const part = (devices: number, share: number): number => Math.max(2, Math.round(devices * share));

export async function registerFleet(service: ServiceProcess, devices: number): Promise<Registered> {
  const stoppedCount = part(devices, STOPPED);
  const roverCount = stoppedCount + part(devices, TRAVELLING);
  const silos = await registerSilos(service, devices - roverCount);
  const rovers = await registerRovers(service, roverCount, 'soak');
  const workingCount = part(devices, WORKING);
  const emptyingCount = part(devices, EMPTYING);
  const siloIds = silos.map(({ username }) => username);
  const roverIds = rovers.map(({ username }) => username);
  const member = (kind: FleetMember['kind']) => (credentials: Credentials) => ({
    deviceId: credentials.username,
    secret: credentials.secret,
    kind,
  });
  return {
    members: [...silos.map(member('silo')), ...rovers.map(member('rover'))],
    working: siloIds.slice(0, workingCount),
    emptying: siloIds.slice(workingCount, workingCount + emptyingCount),
    idle: siloIds.slice(workingCount + emptyingCount),
    stopped: roverIds.slice(0, stoppedCount),
    travelling: roverIds.slice(stoppedCount),
  };
}
