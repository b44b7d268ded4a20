import './start-view.css';
import { zonesUnlikeService } from '@granary/common/site-zone';
import { placeOfZone } from '@granary/common/time-text';
import { isSimulated, SIMULATED, SIMULATED_LABEL } from '@granary/contract/devices/label-match';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { RegisterDevice } from '../administration/devices-page.tsx';
import { ImportDevices } from '../administration/import-devices.tsx';
import { useConsole, useScope } from '../context/console.ts';
import { namedZones } from '../context/page-zone.ts';
import { addressOf } from '../context/routes.ts';
import { Button } from '../kit/button.tsx';
import { CopyText } from '../kit/secret-dialog.tsx';
import { set } from '../kit/set.ts';
import { locale, texts } from '../texts.ts';

const DISCOVER = 'granary bridge discover mqtt://192.168.1.10';
const REMOVE_DEMO = 'granary remove-demo';

/** Says what is simulated, how the first real device is attached, and how the demo is ended. */
export function StartView() {
  const { start } = texts.value;
  return (
    <div class="start-view">
      <h1>{start.title}</h1>
      <SimulatedDevices />
      <OtherClocks />
      <section aria-label={start.attach}>
        <h2>{start.attach}</h2>
        <Ways />
      </section>
      <section class="panel" aria-label={start.leave}>
        <h2>{start.leave}</h2>
        <p>{start.leaveText}</p>
        <CopyText label={start.leaveCommand} text={REMOVE_DEMO} />
      </section>
    </div>
  );
}

function SimulatedDevices() {
  const { devices } = useConsole().live.site;
  const { start } = texts.value;
  const all = [...devices.all.value.values()].map(({ value }) => value);
  const simulated = all.filter(isSimulated).length;
  const own = all.length - simulated;
  return (
    <section class="panel" aria-label={start.simulated}>
      <h2>{start.simulated}</h2>
      <p>
        {simulated === 0 ? start.none : start.simulatedCount({ count: simulated })}{' '}
        {own === 0 ? start.noOwn : start.own({ count: own })}
      </p>
      {simulated > 0 && (
        <p>
          <a
            href={addressOf('overview', null, { label: `${SIMULATED_LABEL}=${SIMULATED[SIMULATED_LABEL]}` })}
          >
            {start.showThem}
          </a>
        </p>
      )}
    </section>
  );
}

/** Shown where the time zone of the service is that of no silo. */
function OtherClocks() {
  const { zones } = useConsole().live.site;
  const { start } = texts.value;
  const told = zones.value;
  if (told === null) return null;
  const unlike = zonesUnlikeService(namedZones(told, null), told.service, Date.now());
  if (unlike.length === 0) return null;
  const places = new Intl.ListFormat(locale.value).format(unlike.map(placeOfZone));
  return <p class="panel">{start.otherClocks({ service: placeOfZone(told.service), silos: places })}</p>;
}

/** Shows the three ways to attach a device. */
function Ways() {
  const mayAdministrate = useScope('admin');
  const open = useSignal<'register' | 'import' | null>(null);
  const { start, deviceAdmin, administration } = texts.value;
  const close = (): void => set(open, null);
  return (
    <>
      {!mayAdministrate && <p class="muted">{start.needsAdmin}</p>}
      <div class="start-ways">
        <Way title={start.link} text={start.linkText}>
          {mayAdministrate && (
            <Button kind="primary" onPress={() => set(open, 'register')}>
              {deviceAdmin.register}
            </Button>
          )}
          {mayAdministrate && (
            <a class="button" href={addressOf('administration', 'keys')}>
              {administration.pages.keys}
            </a>
          )}
          <a class="button" href="/docs">
            {start.protocol}
          </a>
        </Way>
        <Way
          title={start.bridge}
          text={start.bridgeText}
          code={<CopyText label={start.bridgeCommand} text={DISCOVER} />}
        >
          <a class="button" href={addressOf('administration', 'bridges')}>
            {administration.pages.bridges}
          </a>
        </Way>
        <Way title={start.csv} text={start.csvText}>
          {mayAdministrate && <Button onPress={() => set(open, 'import')}>{deviceAdmin.importTitle}</Button>}
        </Way>
      </div>
      {open.value === 'register' && <RegisterDevice onClose={close} />}
      {open.value === 'import' && <ImportDevices onClose={close} />}
    </>
  );
}

interface WayProps {
  readonly title: string;
  readonly text: string;
  readonly code?: ComponentChildren;
  readonly children: ComponentChildren;
}

const Way = ({ title, text, code, children }: WayProps) => (
  <article class="panel" aria-label={title}>
    <h3>{title}</h3>
    <p>{text}</p>
    {code}
    <div class="buttons">{children}</div>
  </article>
);
