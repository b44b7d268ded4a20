import './wall.css';
import type { FleetDevice } from '@granary/contract/fleet';
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { useConsole, useIsLost } from '../context/console.ts';
import { timeText } from '../kit/sentences.ts';
import { byNeed } from '../overview/arrangement.ts';
import { DeviceTile } from '../overview/device-tile.tsx';
import { byDevice, detailsOf, OverviewContext } from '../profiles/tile-facts.ts';
import { texts } from '../texts.ts';

/** How long a facility is shown before the next one. */
const TURN_MS = 20_000;

/** The view for a screen on a wall: large, without controls, one facility after the other. A lost connection covers all of it. */
export function WallView() {
  const { client, live, navigation } = useConsole();
  const { wall } = texts.value;
  const { devices } = live.site;
  const facts = useMemo(
    () => ({ byDevice: byDevice(live.site), details: detailsOf(client, live) }),
    [client, live],
  );
  const only = navigation.route.value.query.get('facility');
  const facilities = only === null ? devices.facilities.value : [only];
  const turn = useSignal(0);
  useEffect(() => {
    const timer = setInterval(() => {
      turn.value++;
    }, TURN_MS);
    return () => clearInterval(timer);
  }, []);
  const facility = facilities[turn.value % Math.max(1, facilities.length)];
  const { alerts, operations, missions } = facts.byDevice;
  const aboutOf = ({ value: device }: ReadonlySignal<FleetDevice>) => ({
    device,
    alerts: alerts.value.get(device.device_id) ?? [],
    isMoving: operations.value.has(device.device_id) || missions.value.has(device.device_id),
  });
  const shown = [...devices.all.value.values()]
    .filter((device) => device.peek().location.facility === facility)
    .toSorted((one, other) => byNeed(aboutOf(one), aboutOf(other)));
  return (
    <OverviewContext.Provider value={facts}>
      <div class="wall">
        <LostCover />
        <header>
          <h1 class="free-text">{facility ?? wall.empty}</h1>
          {facilities.length > 1 && (
            <p class="muted">
              {wall.of({ place: (turn.value % facilities.length) + 1, count: facilities.length })}
            </p>
          )}
        </header>
        <ul class="overview-tiles" inert>
          {shown.map((device) => (
            <DeviceTile key={device.peek().device_id} device={device} hasFacility={false} />
          ))}
        </ul>
      </div>
    </OverviewContext.Provider>
  );
}

/** Even from the other end of a hall it must be clear that nothing on the screen is known to be current. */
function LostCover() {
  const { connection, site } = useConsole().live;
  const { shell } = texts.value;
  const current = connection.current.value;
  if (!useIsLost() || current.state !== 'lost') return null;
  return (
    <p class="wall-lost" role="alert">
      {shell.notLiveSince({ time: timeText(current.sinceMs, site.clock.nowMs.peek()) })}
    </p>
  );
}
