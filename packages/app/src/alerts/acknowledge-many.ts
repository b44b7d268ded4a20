import type { Acknowledgement } from '@granary/contract/alerts';
import { ALERT_DOCUMENT, type AlertState, acknowledgeAlert } from '@granary/core/alerts/lifecycle';
import type { Sql } from '@granary/store/sql';
import { lockDevices } from '@granary/store/tables/alerts/alert-evaluations';
import { saveAlerts } from '@granary/store/tables/alerts/alerts';
import { logEvents } from '@granary/store/tables/events';
import { findAlertsOfFleet } from '@granary/store/tables/fleet/lists';
import type { DeviceOfRow } from '@granary/store/tables/fleet/newest-rows';
import type { AccessLimits } from '@granary/store/tables/fleet/place';
import { type Committed, committed, eventsLogged } from '../effects.ts';
import { evaluateDevices, eventsOf } from './evaluation.ts';

export interface AcknowledgementOfMany {
  readonly alertIds: readonly string[];
  readonly limits: AccessLimits;
  readonly by: Acknowledgement;
  readonly nowMs: number;
}

export interface AcknowledgedAlert extends DeviceOfRow {
  readonly alert: AlertState;
}

/** Answers the alerts that exist and that the limits allow. Their devices are locked together, in the order of their numbers. */
export async function acknowledgeMany(
  sql: Sql,
  { alertIds, limits, by, nowMs }: AcknowledgementOfMany,
): Promise<Committed<AcknowledgedAlert[]>> {
  const read = async () =>
    (await findAlertsOfFleet(sql, ALERT_DOCUMENT, alertIds, limits)).map(
      ({ state, id: _, ...device }): AcknowledgedAlert => ({ ...device, alert: state }),
    );
  const wanted = new Set((await read()).map(({ alert }) => alert.deviceNo));
  const held = await lockDevices(sql, [...wanted]);
  const isHeld = new Set(held.map(({ deviceNo }) => deviceNo));
  // Read again, because another caller may have changed them before they were locked.
  const found = (await read()).filter(({ alert }) => isHeld.has(alert.deviceNo));
  const changes = found.flatMap(({ alert: before }) => {
    const after = acknowledgeAlert(before, by, nowMs, sql.actor);
    return after === before ? [] : [{ before, after }];
  });
  if (changes.length === 0) return committed(found);
  await saveAlerts(
    sql,
    ALERT_DOCUMENT,
    changes.map(({ after }) => after),
  );
  const changed = new Set(changes.map(({ after }) => after.deviceNo));
  const { events } = await evaluateDevices(
    sql,
    held.filter(({ deviceNo }) => changed.has(deviceNo)),
    nowMs,
  );
  const logged = [...changes.flatMap((change) => eventsOf(change, nowMs)), ...events];
  await logEvents(sql, logged);
  return committed(await read(), ...eventsLogged(logged));
}
