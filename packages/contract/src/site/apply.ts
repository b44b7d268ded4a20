import { type Static, Type } from 'typebox';
import { DeviceCredentials } from '../devices/devices.ts';
import { closed } from '../input/closed.ts';
import { checker } from '../input/schema.ts';

export const CHANGE_ACTIONS = ['create', 'update', 'unchanged'] as const;

/** A value that a document changes; `before` of a new value and `after` of a removed one are `null`. */
export const Difference = closed({ path: Type.String(), before: Type.Unknown(), after: Type.Unknown() });

export const SiteChange = closed({
  /** The place in the document: `/devices/0`. */
  path: Type.String(),
  /** The id of a device, the address of a webhook, the name of a notification rule. */
  id: Type.String(),
  action: Type.Enum(CHANGE_ACTIONS),
  /** Empty for what is created, and for what is unchanged. */
  differences: Type.Array(Difference),
});

export const Applied = closed({
  dry_run: Type.Boolean(),
  created: Type.Integer({ minimum: 0 }),
  updated: Type.Integer({ minimum: 0 }),
  unchanged: Type.Integer({ minimum: 0 }),
  /** In the order of the document. */
  changes: Type.Array(SiteChange),
  /** The changes in words, one line each; what is unchanged is not named. */
  text: Type.Array(Type.String()),
  /** The secrets of the devices that were created, shown this once; empty for a dry run. */
  credentials: Type.Array(DeviceCredentials),
  /** The secrets of the webhooks that were created, shown this once; empty for a dry run. */
  webhook_secrets: Type.Array(
    closed({ webhook_id: Type.String(), url: Type.String(), secret: Type.String() }),
  ),
});

export const ApplyQuery = closed({ dry_run: Type.Optional(Type.Enum(['true', 'false'])) });

/** Limits the document to the devices of one facility. */
export const ExportQuery = closed({ facility: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) });

export type Difference = Static<typeof Difference>;
export type SiteChange = Static<typeof SiteChange>;
export type Applied = Static<typeof Applied>;

export const checkApplyQuery = checker(ApplyQuery);
export const checkExportQuery = checker(ExportQuery);
