import type { FieldCommand } from '@granary/contract/link/field-messages';
import { commandMessage } from '@granary/core/commands/record';
import type { CommandState } from '@granary/core/commands/state';
import { advanceCommand } from '@granary/core/commands/transitions';
import { deviceStatus } from '@granary/core/devices/status';
import { missionMessage } from '@granary/core/missions/record';
import { type MissionState, missionHoldsDevice } from '@granary/core/missions/state';
import { advanceMission } from '@granary/core/missions/transitions';
import type { Sql } from '@granary/store/sql';
import { findDevices, type StoredDevice } from '../device-rows.ts';
import type { Committed, Effect } from '../effects.ts';
import {
  advanceDueJobs,
  type DeviceToTick,
  type DueDevices,
  dueDevices,
  isDeviceDue,
  type TickLimits,
  type TickOutcome,
  type TickRound,
} from '../jobs/advance-due-jobs.ts';
import type { JobChangeRecorder } from '../jobs/job-change-recorder.ts';
import { MISSIONS, missionsUnderWay } from '../missions/mission-rows.ts';
import type { Transaction } from '../transaction.ts';
import type { SetAside } from '../unreadable-row.ts';
import { COMMANDS, devicesWithEmergencyStop, unfinishedCommands } from './command-rows.ts';

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
  /** Applies a tick to every unfinished command and mission, and returns the messages to send. */
  async tick(tx: Transaction, round: TickRound): Promise<Committed<TickOutcome>> {
    return await advanceDueJobs(tx, KINDS, round, async (devices, recorder) => {
      const sends: Effect[] = [];
      for (const toTick of await readDevicesToTick(tx.sql, devices, round, recorder)) {
        const { deviceNo, deviceId } = toTick.device;
        const messages = [
          ...(await tickCommands(recorder, toTick, round.nowMs)),
          ...(await tickMissions(recorder, toTick, round.nowMs)),
        ];
        for (const message of messages) sends.push({ kind: 'send_message', deviceNo, deviceId, message });
      }
      return sends;
    });
  },
};

/** The facts of a tick, without the configuration, so that a stop is sent also if the configuration cannot be read. */
interface FieldDeviceToTick {
  readonly device: StoredDevice;
  readonly commands: readonly CommandState[];
  /** The missions that are due. */
  readonly missions: readonly MissionState[];
  /** The ids of the missions that occupy the device. */
  readonly holding: ReadonlySet<string>;
  /** The device has a live MQTT session that is subscribed to its commands. */
  readonly isReachable: boolean;
  readonly isNewSession: boolean;
  /** An emergency stop is in force on the device. */
  readonly isStopped: boolean;
}

async function readDevicesToTick(
  sql: Sql,
  devices: readonly DeviceToTick[],
  { nowMs, isNewSession }: TickRound,
  recorder: JobChangeRecorder,
): Promise<FieldDeviceToTick[]> {
  const deviceNos = devices.map(({ deviceNo }) => deviceNo);
  const reachable = new Map(devices.map(({ deviceNo, isReachable }) => [deviceNo, isReachable]));
  const setAside = (item: SetAside) => recorder.setAside.push(item);
  const ofDevice = ({ deviceNo }: { readonly deviceNo: number }) => deviceNo;
  const commands = Map.groupBy(await unfinishedCommands(sql, deviceNos, setAside), ofDevice);
  const missions = Map.groupBy(await MISSIONS.unfinished(sql, deviceNos, nowMs, setAside), ofDevice);
  const underWay = Map.groupBy(await missionsUnderWay(sql, deviceNos, setAside), ofDevice);
  const stopped = await devicesWithEmergencyStop(sql, deviceNos);
  return (await findDevices(sql, deviceNos)).map((device) => ({
    device,
    commands: commands.get(device.deviceNo) ?? [],
    missions: missions.get(device.deviceNo) ?? [],
    holding: new Set((underWay.get(device.deviceNo) ?? []).map(({ missionId }) => missionId)),
    isReachable: reachable.get(device.deviceNo) ?? false,
    isNewSession,
    isStopped: stopped.has(device.deviceNo),
  }));
}

async function tickCommands(
  recorder: JobChangeRecorder,
  { commands, isReachable, isNewSession, isStopped }: FieldDeviceToTick,
  nowMs: number,
): Promise<FieldCommand[]> {
  const tick = { kind: 'tick', isReachable, isNewSession, isStopped } as const;
  const messages: FieldCommand[] = [];
  for (const before of commands) {
    const decided = await recorder.attempt(COMMANDS, before, () => {
      const { command, send } = advanceCommand(before, tick, nowMs);
      return { after: command, send: send && commandMessage(command, send) };
    });
    if (decided !== null && decided.send !== null) messages.push(decided.send);
  }
  return messages;
}

/** Ticks the missions in the order of their start times, so that of two due missions only the first is dispatched. */
async function tickMissions(
  recorder: JobChangeRecorder,
  { device, missions, isReachable, isStopped, ...toTick }: FieldDeviceToTick,
  nowMs: number,
): Promise<FieldCommand[]> {
  const isInMaintenance = deviceStatus(device.presence, nowMs) === 'maintenance';
  const isReady = isReachable && !isInMaintenance;
  const holding = new Set(toTick.holding);
  const messages: FieldCommand[] = [];
  for (const before of missions.toSorted((a, b) => a.plan.startAtMs - b.plan.startAtMs)) {
    const deviceFree = isReady && holding.isSubsetOf(new Set([before.missionId]));
    const tick = { kind: 'tick', isReachable, deviceFree, isStopped } as const;
    const decided = await recorder.attempt(MISSIONS, before, () => {
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
