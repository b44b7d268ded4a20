import { type Static, Type } from 'typebox';
import { Difference } from '../audit.ts';
import { DeviceCredentials } from '../devices/devices.ts';
import { checker, closed, described } from '../input/schema.ts';

export const CHANGE_ACTIONS = ['create', 'update', 'unchanged'] as const;

export const SiteChange = closed({
  path: described('The place in the document: `/devices/0`.', Type.String()),
  id: described(
    'The id of a device, the address of a webhook, the name of a notification rule.',
    Type.String(),
  ),
  action: Type.Enum(CHANGE_ACTIONS),
  differences: described('Empty for what is created, and for what is unchanged.', Type.Array(Difference)),
});

export const Applied = closed({
  dry_run: Type.Boolean(),
  created: Type.Integer({ minimum: 0 }),
  updated: Type.Integer({ minimum: 0 }),
  unchanged: Type.Integer({ minimum: 0 }),
  changes: described('In the order of the document.', Type.Array(SiteChange)),
  text: described(
    'The changes in words, one line each; what is unchanged is not named.',
    Type.Array(Type.String()),
  ),
  credentials: described(
    'The secrets of the devices that were created, shown this once; empty for a dry run.',
    Type.Array(DeviceCredentials),
  ),
  webhook_secrets: described(
    'The secrets of the webhooks that were created, shown this once; empty for a dry run.',
    Type.Array(closed({ webhook_id: Type.String(), url: Type.String(), secret: Type.String() })),
  ),
});

export const ApplyQuery = closed({ dry_run: Type.Optional(Type.Enum(['true', 'false'])) });

/** Limits the document to the devices of one facility. */
export const ExportQuery = closed({ facility: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })) });

export type SiteChange = Static<typeof SiteChange>;
export type Applied = Static<typeof Applied>;

export const checkApplyQuery = checker(ApplyQuery);
export const checkExportQuery = checker(ExportQuery);
