import { LANGUAGES } from '@granary/words/languages';
import { type Static, Type } from 'typebox';
import { RaisedAlerts } from './alert-statistics.ts';
import { ALERT_TYPES } from './alerts.ts';
import { OptionalActor } from './audit.ts';
import { LABEL_LIST } from './devices/labels.ts';
import { FORECAST_STATUSES } from './foresight/forecasts.ts';
import { DeviceId, OperationId } from './ids.ts';
import { checker, closed, described, List, withLists } from './input/schema.ts';
import { LocalDate, line, shownName, TimeZoneName } from './input/text-schemas.ts';
import { Timestamp } from './input/timestamp.ts';
import { EmailTarget, TimeOfDay } from './notifications.ts';
import { MASS_UNITS, OPERATION_STATUSES, OPERATION_TYPES } from './operations.ts';

export const REPORT_PERIODS = ['daily', 'weekly', 'monthly'] as const;
const REPORT_FORMATS = ['json', 'csv', 'html'] as const;
/** The limits of single lists; the totals include everything. */
export const REPORT_SILOS_MAX = 500;
export const REPORT_ITEMS_MAX = 100;

const Period = Type.Enum(REPORT_PERIODS);
const Language = Type.Enum([...LANGUAGES]);
const Facility = line(200);
const NumberOrNull = Type.Union([Type.Number(), Type.Null()]);
const TextOrNull = Type.Union([Type.String(), Type.Null()]);
const TimestampOrNull = Type.Union([Timestamp, Type.Null()]);
const Count = Type.Integer({ minimum: 0 });

const ReportQuery = closed({
  period: Type.Optional(described('`daily` when not given.', Period)),
  date: Type.Optional(
    described('A day of the period; the last period that is over when not given.', LocalDate),
  ),
  facility: Type.Optional(Facility),
  label: Type.Optional(
    described(
      'What the devices are labelled with, such as `product=wheat`, or names of labels, separated by commas.',
      List,
    ),
  ),
  tz: Type.Optional(
    described(
      'The days are those of this time zone; the zone that the silos share when not given, or that of the service where they name none.',
      TimeZoneName,
    ),
  ),
  language: Type.Optional(described('Of `html`; English when not given.', Language)),
  format: Type.Optional(described('In place of the header `Accept`.', Type.Enum(REPORT_FORMATS))),
});

/** The begin, the end, the deliveries and the use of a silo. */
export const ReportSilo = closed({
  device_id: DeviceId,
  name: Type.String(),
  facility: Type.String(),
  zone: Type.String(),
  product: TextOrNull,
  bushel_kg: NumberOrNull,
  capacity_kg: Type.Number(),
  begin_kg: described('The last weight before the period, at most a day old.', NumberOrNull),
  end_kg: described('The last weight of the period, or the present one.', NumberOrNull),
  in_kg: described('Refills.', NumberOrNull),
  out_kg: described('What `discharge` operations moved; a part of `use_kg`.', NumberOrNull),
  use_kg: described('Everything that left the silo.', NumberOrNull),
  days_known: described('Of how many days `in_kg`, `out_kg` and `use_kg` are known.', Count),
  status: described('Of the present forecast.', Type.Union([Type.Enum(FORECAST_STATUSES), Type.Null()])),
  kg_per_day: NumberOrNull,
  empty_p50: TimestampOrNull,
  order_by: TimestampOrNull,
  order_kg: NumberOrNull,
});

const ReportDelivery = closed({
  device_id: DeviceId,
  from: Timestamp,
  kg: Type.Number(),
  product: TextOrNull,
  delivery_note_kg: NumberOrNull,
});

const ReportOperation = closed({
  operation_id: OperationId,
  device_id: DeviceId,
  device_name: Type.String(),
  type: Type.Union([Type.Enum(OPERATION_TYPES), Type.Null()]),
  status: Type.Enum(OPERATION_STATUSES),
  amount_completed: NumberOrNull,
  unit: Type.Enum(MASS_UNITS),
  started_at: Timestamp,
  ended_at: TimestampOrNull,
  requested_by: described('`null` where it was begun at the device.', OptionalActor),
  stopped_by: OptionalActor,
});

const Mass = described('The sum of the silos in which it is known.', Type.Number());

/** The figures and events of a day, a week or a month of a site, and the things that have to be done. */
export const Report = closed({
  period: Period,
  first_date: LocalDate,
  last_date: LocalDate,
  from: Timestamp,
  to: described('Not included; now while the period is not over.', Timestamp),
  is_over: Type.Boolean(),
  time_zone: Type.String(),
  facility: TextOrNull,
  label: TextOrNull,
  made_at: Timestamp,
  totals: closed({
    silos: Count,
    capacity_kg: Mass,
    begin_kg: Mass,
    end_kg: Mass,
    change_kg: described('Of the silos in which both are known.', Type.Number()),
    in_kg: Mass,
    out_kg: Mass,
    use_kg: Mass,
  }),
  days: described(
    'The days of the period; of a single day also the six before it.',
    Type.Array(closed({ date: LocalDate, in_kg: Type.Number(), use_kg: Type.Number() })),
  ),
  silos: described('By facility and name; at most 500.', Type.Array(ReportSilo)),
  deliveries: described('Newest first; at most 100.', Type.Array(ReportDelivery)),
  open_critical: described(
    'The critical alerts that are present now and not shelved, newest first; at most 100.',
    Type.Array(
      closed({
        device_id: DeviceId,
        device_name: Type.String(),
        type: Type.Enum(ALERT_TYPES),
        since: Timestamp,
      }),
    ),
  ),
  raised: closed({ total: Count, info: Count, warning: Count, critical: Count }),
  alerts: described('By device and type, the most severe first; at most 100.', Type.Array(RaisedAlerts)),
  operations: described(
    'Those that ended in the period, newest first; at most 100.',
    Type.Array(ReportOperation),
  ),
  has_more: described(
    'The lists that have more than is shown here.',
    Type.Array(Type.Enum(['silos', 'deliveries', 'open_critical', 'alerts', 'operations'])),
  ),
});

/** More report schedules than this are refused. */
export const REPORT_SCHEDULES_MAX = 100;

const Email = EmailTarget.properties.email;

const ofSchedule = {
  name: shownName(200),
  period: described(
    'On the first day after it the report is sent: every day, on Mondays, or on the first of a month.',
    Period,
  ),
  recipients: Type.Array(Email, { minItems: 1, maxItems: 20, uniqueItems: true }),
};

/** The content replaces a whole schedule. */
export const NewReportSchedule = closed({
  ...ofSchedule,
  enabled: Type.Optional(described('`true` when not given.', Type.Boolean())),
  time: Type.Optional(described('Of the day; `06:00` when not given.', TimeOfDay)),
  time_zone: Type.Optional(described('As `tz` of a report when not given.', TimeZoneName)),
  facility: Type.Optional(described('All of them when not given.', Facility)),
  label: Type.Optional(described('As in the query of a report.', List)),
  language: Type.Optional(described('English when not given.', Language)),
  attach_csv: Type.Optional(described('`true` when not given.', Type.Boolean())),
});

export const ReportSchedule = closed({
  schedule_id: Type.String(),
  ...ofSchedule,
  enabled: Type.Boolean(),
  time: TimeOfDay,
  time_zone: Type.String(),
  facility: TextOrNull,
  label: TextOrNull,
  language: Language,
  attach_csv: Type.Boolean(),
  created_by: described(
    'Who made it or changed it last; the report has what this caller may see when it is sent.',
    OptionalActor,
  ),
  next_at: described('`null` while it is switched off.', TimestampOrNull),
  sent_at: described('When it was last due.', TimestampOrNull),
});

/** The fields of the query, for a report that is sent. */
export const SentReport = closed({
  period: ReportQuery.properties.period,
  date: ReportQuery.properties.date,
  facility: ReportQuery.properties.facility,
  label: ReportQuery.properties.label,
  tz: ReportQuery.properties.tz,
  language: Type.Optional(Language),
});

export const ReportReceipt = closed({ email: described('Where it was sent to.', Email) });

export type ReportPeriod = (typeof REPORT_PERIODS)[number];
export type ReportFormat = (typeof REPORT_FORMATS)[number];
export type ReportSilo = Static<typeof ReportSilo>;
export type Report = Static<typeof Report>;
export type NewReportSchedule = Static<typeof NewReportSchedule>;
export type ReportSchedule = Static<typeof ReportSchedule>;
export type SentReport = Static<typeof SentReport>;

export const checkReportQuery = withLists(checker(ReportQuery), [LABEL_LIST]);
export const checkSentReport = withLists(checker(SentReport), [LABEL_LIST]);
export const checkNewReportSchedule = withLists(checker(NewReportSchedule), [LABEL_LIST]);
