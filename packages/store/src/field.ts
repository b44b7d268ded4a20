import type { FieldCommand } from '@granary/contract/field-link';
import { commandMessage, isEmergencyStop, isOpen } from '@granary/core/command-state';
import { advanceCommand } from '@granary/core/commands';
import { deviceStatus } from '@granary/core/devices';
import { missionMessage } from '@granary/core/mission-record';
import { type MissionState, missionHoldsDevice } from '@granary/core/mission-state';
import { advanceMission } from '@granary/core/missions';
import { COMMANDS } from './command-rows.ts';
import type { ErrandLedger } from './errand-ledger.ts';
import { type TickLimits, tickErrands } from './errand-ticks.ts';
import { type FieldDevice, readFieldDevices } from './field-devices.ts';
import { MISSIONS } from './mission-rows.ts';
import type { Sql } from './sql.ts';

export interface FieldSend {
  readonly deviceId: string;
  readonly message: FieldCommand;
}

export const reads = {};

export const writes = {
  /** What time makes of every command and mission that is not settled, and what to send to their devices. */
  async tick(sql: Sql, limits: TickLimits): Promise<FieldSend[]> {
    return await tickErrands(sql, [COMMANDS, MISSIONS], limits, async (deviceNos, ledger) => {
      const { nowMs } = limits;
      const missions = await MISSIONS.unsettled(sql, deviceNos, nowMs);
      const ofDevice = Map.groupBy(missions, ({ deviceNo }) => deviceNo);
      const sends: FieldSend[] = [];
      for (const field of await readFieldDevices(sql, deviceNos)) {
        const { deviceNo, deviceId } = field.device;
        const messages = [
          ...(await tickCommands(ledger, field, nowMs)),
          ...(await tickMissions(ledger, field, ofDevice.get(deviceNo) ?? [], nowMs)),
        ];
        sends.push(...messages.map((message) => ({ deviceId, message })));
      }
      return sends;
    });
  },
};

/** In maintenance the link is up, so an emergency stop still gets through. */
const isOnline = ({ facts }: FieldDevice, nowMs: number): boolean =>
  deviceStatus(facts.presence, nowMs) !== 'offline';

async function tickCommands(
  ledger: ErrandLedger,
  field: FieldDevice,
  nowMs: number,
): Promise<FieldCommand[]> {
  const tick = { kind: 'tick', deviceOnline: isOnline(field, nowMs) } as const;
  const messages: FieldCommand[] = [];
  for (const before of field.facts.commands) {
    const { command, send } = advanceCommand(before, tick, nowMs);
    await ledger.record(COMMANDS, before, command);
    if (send !== null) messages.push(commandMessage(command, send));
  }
  return messages;
}

/** One after the other, those first that are to begin first: of two that could be dispatched now, one is. */
async function tickMissions(
  ledger: ErrandLedger,
  field: FieldDevice,
  missions: readonly MissionState[],
  nowMs: number,
): Promise<FieldCommand[]> {
  const deviceOnline = isOnline(field, nowMs);
  const isReady = deviceStatus(field.facts.presence, nowMs) === 'online' && !awaitsStop(field);
  const holding = new Set(field.facts.missions.filter(missionHoldsDevice).map(({ missionId }) => missionId));
  const messages: FieldCommand[] = [];
  for (const before of missions.toSorted((a, b) => a.plan.startAtMs - b.plan.startAtMs)) {
    const deviceFree = isReady && holding.isSubsetOf(new Set([before.missionId]));
    const { mission, send } = advanceMission(before, { kind: 'tick', deviceOnline, deviceFree }, nowMs);
    if (missionHoldsDevice(mission)) holding.add(mission.missionId);
    else holding.delete(mission.missionId);
    await ledger.record(MISSIONS, before, mission);
    if (send !== null) messages.push(missionMessage(mission, send));
  }
  return messages;
}

/** As long as an emergency stop is not confirmed, nothing new begins. */
const awaitsStop = ({ facts }: FieldDevice): boolean =>
  facts.commands.some((command) => isEmergencyStop(command) && isOpen(command));
