import { useComputed } from '@preact/signals';
import { useConsole } from '../console.ts';
import { Notice } from '../parts/notice.tsx';
import { texts } from '../texts/texts.ts';
import { DeviceTile } from './device-tile.tsx';
import './overview.css';

/** Every device at a glance. */
export function Overview() {
  const { live, navigation } = useConsole();
  const { overview } = texts.value;
  const wanted = (navigation.route.value.query.get('q') ?? '').toLowerCase();
  const devices = useComputed(() => [...live.site.devices.all.value.values()]);
  const shown = devices.value.filter((device) => {
    const { device_id, name, model } = device.peek();
    return [device_id, name, model].some((text) => text.toLowerCase().includes(wanted));
  });
  if (devices.value.length === 0) return <Notice>{overview.empty}</Notice>;
  if (shown.length === 0) return <Notice>{overview.nothingFound}</Notice>;
  return (
    <>
      <h1 class="only-for-readers">{overview.title}</h1>
      <ul class="tiles">
        {shown.map((device) => (
          <DeviceTile key={device.peek().device_id} device={device} />
        ))}
      </ul>
    </>
  );
}
