import './filter-bar.css';
import './segments.css';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { useConsole } from '../context/console.ts';
import { locale, texts } from '../texts.ts';
import { Button } from './button.tsx';
import { NumbersBox } from './number-input.tsx';
import { meantTime, shownTime } from './site-time.ts';
import { ordered } from './table-order.ts';
import { TimeBox } from './time-input.tsx';

const ISO_DAY = /^\d{4}-\d\d-\d\d$/;

export const PLACE_FILTERS = ['facility', 'device'] as const;

interface BarProps {
  /** The names of the filters in the address. */
  readonly names: readonly string[];
  readonly children: ComponentChildren;
}

/** Shows the filters of a list, which are in the address. */
export function FilterBar({ names, children }: BarProps) {
  const { navigation } = useConsole();
  const { table } = texts.value;
  const { query } = navigation.route.value;
  const isFiltered = names.some((name) => Boolean(query.get(name)));
  return (
    <search class="filter-bar" aria-label={table.filters}>
      {children}
      {isFiltered && (
        <Button
          kind="quiet"
          onPress={() => navigation.filter(Object.fromEntries(names.map((name) => [name, undefined])))}
        >
          {table.clearFilters}
        </Button>
      )}
    </search>
  );
}

interface FilterProps {
  readonly name: string;
  readonly label: string;
}

interface SelectProps extends FilterProps {
  /** The text of the choice that filters nothing. */
  readonly any: string;
  /** The value of that choice in an address that names it. */
  readonly anyValue?: string;
  readonly options: readonly (readonly [value: string, text: string])[];
}

export function SelectFilter({ name, label, any, anyValue = '', options }: SelectProps) {
  const { navigation } = useConsole();
  const named = navigation.route.value.query.get(name) ?? '';
  const value = named === anyValue ? '' : named;
  // A filter in force is always shown, even if no entry has its value.
  const isKnown = value === '' || options.some(([one]) => one === value);
  return (
    <Filter label={label}>
      {(id) => (
        <select
          id={id}
          value={value}
          onChange={({ currentTarget }) => navigation.filter({ [name]: currentTarget.value })}
        >
          <option value="">{any}</option>
          {(isKnown ? options : [...options, [value, value] as const]).map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Filter>
  );
}

interface SegmentsProps extends FilterProps {
  /** The choices; the one with the empty value is not named in the address. */
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** Shows a few choices side by side, of which one is in force. */
export function Segments({ name, label, options }: SegmentsProps) {
  const { navigation } = useConsole();
  const current = navigation.route.value.query.get(name) ?? '';
  return (
    <fieldset class="segments" aria-label={label}>
      {options.map(([value, text]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === current}
          onClick={() => navigation.filter({ [name]: value })}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}

/** A field for a text that is searched for when the person has finished typing. */
export function TextFilter({ name, label }: FilterProps) {
  const { navigation } = useConsole();
  return (
    <Filter label={label} kind="search">
      {(id) => (
        <input
          id={id}
          type="search"
          placeholder={label}
          maxLength={200}
          value={navigation.route.value.query.get(name) ?? ''}
          onChange={({ currentTarget: { value } }) => navigation.filter({ [name]: value.trim() })}
        />
      )}
    </Filter>
  );
}

interface NumbersFilterProps extends FilterProps {
  /** The unit of the numbers in the address; the person types them in a unit of their own. */
  readonly unit: string;
}

/** A field for several numbers. */
export function NumbersFilter({ name, label, unit }: NumbersFilterProps) {
  const { navigation } = useConsole();
  return (
    <Filter label={label} kind="search">
      {(id) => (
        <NumbersBox
          id={id}
          unit={unit}
          placeholder={label}
          tells="left"
          value={navigation.route.value.query.get(name) ?? ''}
          onValue={(value) => navigation.filter({ [name]: value })}
        />
      )}
    </Filter>
  );
}

/** A field for one day of the calendar. */
export function DateFilter({ name, label }: FilterProps) {
  const { navigation } = useConsole();
  const value = navigation.route.value.query.get(name) ?? '';
  return (
    <Filter label={label} kind="date">
      {(id) => (
        <TimeBox
          id={id}
          kind="date"
          tells="left"
          value={ISO_DAY.test(value) ? value : ''}
          onValue={(day) => navigation.filter({ [name]: day })}
        />
      )}
    </Filter>
  );
}

interface TimeFilterProps extends FilterProps {
  /** The time that is used while the address names none; `undefined` until it is known. */
  readonly usual: string | undefined;
  /** The time zone in which it is entered. */
  readonly timeZone: string;
}

/** A field for a time in the time zone of a place; empty means the usual time. */
export function TimeFilter({ name, label, usual, timeZone }: TimeFilterProps) {
  const { navigation } = useConsole();
  const named = navigation.route.value.query.get(name) ?? usual ?? '';
  return (
    <Filter label={label} kind="time">
      {(id) => (
        <TimeBox
          id={id}
          kind="dateTime"
          tells="left"
          value={Number.isNaN(Date.parse(named)) ? '' : shownTime(named, timeZone)}
          onValue={(value) =>
            navigation.filter({
              [name]: value === '' ? undefined : new Date(meantTime(value, timeZone)).toISOString(),
            })
          }
        />
      )}
    </Filter>
  );
}

interface LabelledProps {
  readonly label: string;
  readonly kind?: 'search' | 'date' | 'time';
  readonly children: (id: string) => ComponentChildren;
}

function Filter({ label, kind, children }: LabelledProps) {
  const id = useId();
  return (
    <div class={kind === undefined ? 'filter' : `filter ${kind}`}>
      <label class="only-for-readers" for={id}>
        {label}
      </label>
      {children(id)}
    </div>
  );
}

/** Filters by the facility, among those that the key may see. */
export function FacilityFilter() {
  const { site } = useConsole().live;
  const { table } = texts.value;
  return (
    <SelectFilter
      name="facility"
      label={table.facility}
      any={table.anyFacility}
      options={site.devices.facilities.value.map((name) => [name, name])}
    />
  );
}

/** Filters by a label, among those that only some devices have. */
export function LabelFilter() {
  const { navigation, live } = useConsole();
  const { table } = texts.value;
  const chosen = navigation.route.value.query.get('label') ?? '';
  const labels = new Set([...live.site.devices.labels.value, chosen].filter((label) => label !== ''));
  if (labels.size === 0) return null;
  return (
    <SelectFilter
      name="label"
      label={table.label}
      any={table.anyLabel}
      options={[...labels].map((label) => [label, label])}
    />
  );
}

/** Filters by the facility and by one device. */
export function PlaceFilters() {
  const { site } = useConsole().live;
  const { table } = texts.value;
  const devices = [...site.devices.all.value.values()].map((device) => device.peek());
  const byName = ordered(devices, ({ name }) => name, false, locale.value);
  return (
    <>
      <FacilityFilter />
      <SelectFilter
        name="device"
        label={table.device}
        any={table.anyDevice}
        options={byName.map(({ device_id }) => [device_id, site.devices.nameOf(device_id)])}
      />
    </>
  );
}
