import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEVICE_MESSAGES } from '@granary/contract/profiles/device-messages';
import { asyncApiDocument } from '@granary/contract/reference/asyncapi';
import type { Json, JsonObject } from '@granary/contract/reference/component-schemas';
import { examplesOf, messageSchemas, useOf } from '@granary/contract/reference/message-schemas';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { guideExamples } from './references.ts';

const EXAMPLES = guideExamples();
const ALL_EXAMPLES = Object.values(EXAMPLES).flat();
const DOCUMENT = asyncApiDocument({
  version: '1.0.0',
  host: '127.0.0.1',
  examples: EXAMPLES,
  ports: { mqtt: 1883, mqtts: null, ws: null, wss: null },
});

/** An independent validator; strict, so that a keyword which it does not know is an error. */
function validator(): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, strictRequired: false });
  addFormats.default(ajv);
  return ajv;
}

describe('the schemas of device messages', () => {
  for (const [file, schema] of messageSchemas(EXAMPLES)) {
    test(`${file} accepts its examples; of a message from a device it accepts what the service accepts`, () => {
      const validate = validator().compile(schema);
      const own = schema['examples'] as readonly Json[];
      assert.ok(own.length > 0, 'the guide shows no example');
      for (const example of own) assert.ok(validate(example), JSON.stringify(validate.errors));
      const message = messageOfTitle(schema['title']);
      if (useOf(message) === 'answer') return;
      for (const example of ALL_EXAMPLES) assert.equal(validate(example), message.check.accepts(example));
    });
  }

  test('each example of the guide is one message of its topic', () => {
    for (const [topic, examples] of Object.entries(EXAMPLES)) {
      const [kind, subject] = topic.split('/');
      const possible = DEVICE_MESSAGES.filter(
        (message) => message.subject === subject && message.kinds.some((one) => one === kind),
      );
      for (const example of examples) {
        const meant = possible.filter((message) => examplesOf(message, { [topic]: [example] }).length > 0);
        assert.equal(meant.length, 1, `${topic}: ${JSON.stringify(example)}`);
      }
    }
  });
});

describe('the AsyncAPI document', () => {
  const components = DOCUMENT['components'] as JsonObject;
  const messages = components['messages'] as unknown as Record<string, ShownMessage>;

  test('has every message in a channel and in an operation', () => {
    const names = DEVICE_MESSAGES.map(({ name }) => name).toSorted();
    assert.deepEqual(Object.keys(messages).toSorted(), names);
    for (const part of ['channels', 'operations'] as const) {
      for (const name of names) assert.match(JSON.stringify(DOCUMENT[part]), new RegExp(`/${name}"`));
    }
  });

  test('has a schema for each message that accepts its examples', () => {
    const ajv = validator().addKeyword('components').addSchema({ $id: 'granary', components });
    for (const { payload, examples } of Object.values(messages)) {
      const validate = ajv.getSchema(`granary${payload.$ref}`);
      assert.ok(validate !== undefined, payload.$ref);
      for (const example of examples) assert.ok(validate(example.payload), JSON.stringify(validate.errors));
    }
  });
});

interface ShownMessage {
  readonly payload: { readonly $ref: string };
  readonly examples: readonly { readonly payload: Json }[];
}

function messageOfTitle(title: Json | undefined) {
  const found = DEVICE_MESSAGES.find(({ name }) => name === title);
  assert.ok(found !== undefined, `there is no message ${title}`);
  return found;
}
