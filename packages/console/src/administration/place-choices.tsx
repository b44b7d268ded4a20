import { useConsole } from '../context/console.ts';
import { type Bound, Choices } from '../kit/inputs.tsx';
import { ordered } from '../kit/table-order.ts';
import { locale, texts } from '../texts.ts';

interface Props {
  readonly facilities: Bound<readonly string[]>;
  readonly deviceIds: Bound<readonly string[]>;
}

/** Limits something to facilities and devices. An earlier choice stays offered, even when it does not exist any more. */
export function PlaceChoices({ facilities, deviceIds }: Props) {
  const { site } = useConsole().live;
  const { keys } = texts.value;
  const devices = [...site.devices.all.value.values()].map((device) => device.peek());
  const names = new Map(devices.map(({ device_id, name }) => [device_id, `${name} (${device_id})`]));
  const options = (present: readonly string[], chosen: readonly string[]) =>
    ordered([...new Set([...present, ...chosen])], (name) => name, false, locale.value);
  return (
    <>
      <Choices
        legend={keys.facilities}
        hint={keys.limitHint}
        options={options(site.devices.facilities.value, facilities.value).map((name) => [name, name])}
        {...facilities}
      />
      <Choices
        legend={keys.devices}
        hint={keys.limitHint}
        options={options([...names.keys()], deviceIds.value).map((id) => [id, names.get(id) ?? id])}
        {...deviceIds}
      />
    </>
  );
}
