import type { FieldCommand } from '@granary/contract/field-link';
import { commandMessage, isEmergencyStop, isOpen } from '@granary/core/command-state';
import { advanceCommand } from '@granary/core/commands';
import { deviceStatus } from '@granary/core/devices';
import { missionMessage } from '@granary/core/mission-record';
import { type MissionState, missionHoldsDevice } from '@granary/core/mission-state';
import { advanceMission } from '@granary/core/missions';
import { COMMANDS } from './command-rows.ts';
import type { ErrandLedger } from './errand-ledger.ts';
import {
  type DueDevices,
  dueDevices,
  isDeviceDue,
  type TickLimits,
  type TickOutcome,
  type TickRound,
  tickErrands,
} from './errand-ticks.ts';
import { type FieldDevice, readFieldDevices } from './field-devices.ts';
import { MISSIONS } from './mission-rows.ts';
import type { SetAside } from './set-aside.ts';
import type { Sql } from './sql.ts';

export interface FieldSend {
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
      const { nowMs } = round;
      const reachable = new Map(devices.map(({ deviceNo, isReachable }) => [deviceNo, isReachable]));
      const deviceNos = [...reachable.keys()];
      const setAside = (item: SetAside) => ledger.setAside.push(item);
      const missions = await MISSIONS.unsettled(sql, deviceNos, nowMs, setAside);
      const ofDevice = Map.groupBy(missions, ({ deviceNo }) => deviceNo);
      const sends: FieldSend[] = [];
      for (const field of await readFieldDevices(sql, deviceNos, setAside)) {
        const { deviceNo, deviceId } = field.device;
        const isReachable = reachable.get(deviceNo) ?? false;
        const messages = [
          ...(await tickCommands(ledger, field, isReachable, nowMs)),
          ...(await tickMissions(
            ledger,
            { field, isReachable, missions: ofDevice.get(deviceNo) ?? [] },
            nowMs,
          )),
        ];
        sends.push(...messages.map((message) => ({ deviceId, message })));
      }
      return sends;
    });
  },
};

async function tickCommands(
  ledger: ErrandLedger,
  field: FieldDevice,
  deviceOnline: boolean,
  nowMs: number,
): Promise<FieldCommand[]> {
  const messages: FieldCommand[] = [];
  for (const before of field.facts.commands) {
    const decided = await ledger.attempt(COMMANDS, before, () => {
      const { command, send } = advanceCommand(before, { kind: 'tick', deviceOnline }, nowMs);
      return { after: command, send: send && commandMessage(command, send) };
    });
    if (decided !== null && decided.send !== null) messages.push(decided.send);
  }
  return messages;
}

interface MissionsToTick {
  readonly field: FieldDevice;
  readonly isReachable: boolean;
  readonly missions: readonly MissionState[];
}

/** One after the other, those first that are to begin first: of two that could be dispatched now, one is. */
async function tickMissions(
  ledger: ErrandLedger,
  { field, isReachable, missions }: MissionsToTick,
  nowMs: number,
): Promise<FieldCommand[]> {
  const isInMaintenance = deviceStatus(field.facts.presence, nowMs) === 'maintenance';
  const isReady = isReachable && !isInMaintenance && !awaitsStop(field);
  const holding = new Set(field.facts.missions.filter(missionHoldsDevice).map(({ missionId }) => missionId));
  const messages: FieldCommand[] = [];
  for (const before of missions.toSorted((a, b) => a.plan.startAtMs - b.plan.startAtMs)) {
    const deviceFree = isReady && holding.isSubsetOf(new Set([before.missionId]));
    const tick = { kind: 'tick', deviceOnline: isReachable, deviceFree } as const;
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

/** As long as an emergency stop is not confirmed, nothing new begins. */
const awaitsStop = ({ facts }: FieldDevice): boolean =>
  facts.commands.some((command) => isEmergencyStop(command) && isOpen(command));
