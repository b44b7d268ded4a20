import { DOWN_SUBJECTS } from '../link/messages.ts';
import { DEVICE_MESSAGES, type DeviceMessage } from '../profiles/device-messages.ts';
import { ComponentSchemas, type Json, type JsonObject, type SchemaUse } from './component-schemas.ts';

/** A copy for the service, which does not contain the guide; `npm run references` makes it. */
export const GUIDE_EXAMPLES: GuideExamples = examples;

/** The examples of the device maker's guide by kind of device and topic, such as `silo/telemetry`. */
export type GuideExamples = Readonly<Record<string, readonly Json[]>>;

/** A device ignores unknown fields, so messages to it may get further fields; messages from it may not. */
export const useOf = ({ subject }: DeviceMessage): SchemaUse =>
  (DOWN_SUBJECTS as readonly string[]).includes(subject) ? 'answer' : 'request';

export const examplesOf = ({ kinds, subject, check }: DeviceMessage, examples: GuideExamples): Json[] =>
  kinds.flatMap((kind) => examples[`${kind}/${subject}`] ?? []).filter((example) => check.accepts(example));

/** Turns `SiloTelemetry` into `silo-telemetry.json`. */
const fileNameOf = ({ name }: DeviceMessage): string =>
  `${name.replace(/(?<!^)[A-Z]/g, '-$&').toLowerCase()}.json`;

/** A JSON Schema of each message by the name of its file; each schema is complete in itself. */
export function messageSchemas(examples: GuideExamples): ReadonlyMap<string, JsonObject> {
  const schemas = new ComponentSchemas({}, '');
  return new Map(
    DEVICE_MESSAGES.map((message) => [
      fileNameOf(message),
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        title: message.name,
        description: message.summary,
        ...(schemas.use(message.check.schema, useOf(message)) as JsonObject),
        examples: examplesOf(message, examples),
      },
    ]),
  );
}

import examples from './guide-examples.json' with { type: 'json' };
