import type { FieldCommand } from '@granary/contract/field-link';
import { commandMessage } from '@granary/core/command-record';
import type { CommandState } from '@granary/core/command-state';
import { advanceCommand } from '@granary/core/commands';
import { deviceStatus } from '@granary/core/devices';
import { missionMessage } from '@granary/core/mission-record';
import { type MissionState, missionHoldsDevice } from '@granary/core/mission-state';
import { advanceMission } from '@granary/core/missions';
import { COMMANDS, stoppedDevices, unsettledCommands } from './command-rows.ts';
import { findDevices, type StoredDevice } from './devices.ts';
import type { ErrandLedger } from './errand-ledger.ts';
import {
  type DeviceToTick,
  type DueDevices,
  dueDevices,
  isDeviceDue,
  type TickLimits,
  type TickOutcome,
  type TickRound,
  tickErrands,
} from './errand-ticks.ts';
import { MISSIONS, missionsUnderWay } from './mission-rows.ts';
import type { SetAside } from './set-aside.ts';
import type { Sql } from './sql.ts';

export interface FieldSend {
  readonly deviceNo: number;
  readonly deviceId: string;
  readonly message: FieldCommand;
}

const KINDS = [COMMANDS, MISSIONS];

export const reads = {
  /** Devices with a command or a mission to tick. */
  async due(sql: Sql, limits: TickLimits): Promise<DueDevices> {
    return await dueDevices(sql, KINDS, limits);
  },

  async isDue(sql: Sql, device: { deviceNo: number; nowMs: number }): Promise<boolean> {
    return await isDeviceDue(sql, KINDS, device);
  },
};

export const writes = {
  /** What time makes of every command and mission that is not settled, and what to send to their devices. */
  async tick(sql: Sql, round: TickRound): Promise<TickOutcome<FieldSend>> {
    return await tickErrands(sql, KINDS, round, async (devices, ledger) => {
      const sends: FieldSend[] = [];
      for (const toTick of await readDevicesToTick(sql, devices, round, ledger)) {
        const { deviceNo, deviceId } = toTick.device;
        const messages = [
          ...(await tickCommands(ledger, toTick, round.nowMs)),
          ...(await tickMissions(ledger, toTick, round.nowMs)),
        ];
        sends.push(...messages.map((message) => ({ deviceNo, deviceId, message })));
      }
      return sends;
    });
  },
};

/** What a tick rests on: not the configuration, so that a stop goes out also where that cannot be read. */
interface FieldDeviceToTick {
  readonly device: StoredDevice;
  readonly commands: readonly CommandState[];
  /** Those that are due. */
  readonly missions: readonly MissionState[];
  /** Ids of those that hold the device. */
  readonly holding: ReadonlySet<string>;
  /** It has a live session and listens to its commands. */
  readonly deviceOnline: boolean;
  readonly isNewSession: boolean;
  /** An emergency stop keeps it from moving. */
  readonly isStopped: boolean;
}

async function readDevicesToTick(
  sql: Sql,
  devices: readonly DeviceToTick[],
  { nowMs, isNewSession }: TickRound,
  ledger: ErrandLedger,
): Promise<FieldDeviceToTick[]> {
  const deviceNos = devices.map(({ deviceNo }) => deviceNo);
  const reachable = new Map(devices.map(({ deviceNo, isReachable }) => [deviceNo, isReachable]));
  const setAside = (item: SetAside) => ledger.setAside.push(item);
  const ofDevice = ({ deviceNo }: { readonly deviceNo: number }) => deviceNo;
  const commands = Map.groupBy(await unsettledCommands(sql, deviceNos, setAside), ofDevice);
  const missions = Map.groupBy(await MISSIONS.unsettled(sql, deviceNos, nowMs, setAside), ofDevice);
  const underWay = Map.groupBy(await missionsUnderWay(sql, deviceNos, setAside), ofDevice);
  const stopped = await stoppedDevices(sql, deviceNos);
  return (await findDevices(sql, deviceNos)).map((device) => ({
    device,
    commands: commands.get(device.deviceNo) ?? [],
    missions: missions.get(device.deviceNo) ?? [],
    holding: new Set((underWay.get(device.deviceNo) ?? []).map(({ missionId }) => missionId)),
    deviceOnline: reachable.get(device.deviceNo) ?? false,
    isNewSession,
    isStopped: stopped.has(device.deviceNo),
  }));
}

async function tickCommands(
  ledger: ErrandLedger,
  { commands, deviceOnline, isNewSession, isStopped }: FieldDeviceToTick,
  nowMs: number,
): Promise<FieldCommand[]> {
  const tick = { kind: 'tick', deviceOnline, isNewSession, isStopped } as const;
  const messages: FieldCommand[] = [];
  for (const before of commands) {
    const decided = await ledger.attempt(COMMANDS, before, () => {
      const { command, send } = advanceCommand(before, tick, nowMs);
      return { after: command, send: send && commandMessage(command, send) };
    });
    if (decided !== null && decided.send !== null) messages.push(decided.send);
  }
  return messages;
}

/** One after the other, those first that are to begin first: of two that could be dispatched now, one is. */
async function tickMissions(
  ledger: ErrandLedger,
  { device, missions, deviceOnline, isStopped, ...toTick }: FieldDeviceToTick,
  nowMs: number,
): Promise<FieldCommand[]> {
  const isInMaintenance = deviceStatus(device.presence, nowMs) === 'maintenance';
  const isReady = deviceOnline && !isInMaintenance;
  const holding = new Set(toTick.holding);
  const messages: FieldCommand[] = [];
  for (const before of missions.toSorted((a, b) => a.plan.startAtMs - b.plan.startAtMs)) {
    const deviceFree = isReady && holding.isSubsetOf(new Set([before.missionId]));
    const tick = { kind: 'tick', deviceOnline, deviceFree, isStopped } as const;
    const decided = await ledger.attempt(MISSIONS, before, () => {
      const { mission, send } = advanceMission(before, tick, nowMs);
      return { after: mission, send: send && missionMessage(mission, send) };
    });
    if (decided === null) continue;
    if (missionHoldsDevice(decided.after)) holding.add(before.missionId);
    else holding.delete(before.missionId);
    if (decided.send !== null) messages.push(decided.send);
  }
  return messages;
}
