import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { textFaultsOf } from './text-rules.ts';

const lines = (count: number): string => 'x\n'.repeat(count);

// The forbidden texts are concatenated, so that this file itself passes the check.
const HOST = ['registry', 'example', 'org'].join('.');
const SKIPPED = ['test', "skip('later', () => {});\n"].join('.');

/** The text is a constant of its own, because the rule also reads this file. */
const DOTS = '...';

describe('text rules', () => {
  const TIDY: readonly (readonly [string, string])[] = [
    ['packages/core/src/alerts/lifecycle.ts', lines(1000)],
    ['packages/core/src/alerts/lifecycle.test.ts', 'test(name, { skip: reason }, () => {});\n'],
    ['docs/guide.md', lines(1000)],
    ['package-lock.json', '"resolved": "packages/core",\n'],
    ['packages/core/src/alerts/rules.ts', `const all = [${DOTS}rules, ${DOTS}[1, 2].map(double)];\n`],
    ['packages/core/src/alerts/rules.ts', `const one = { ${DOTS}(isOpen ? { rule } : {}) };\n`],
    ['packages/common/src/time-text.ts', 'const own = new Intl.DateTimeFormat();\n'],
    ['packages/core/src/words.ts', "const text = count.toLocaleString('en');\n"],
    ['packages/console/src/kit/time-input.tsx', '<input type="date" />\n'],
    ['packages/console/src/kit/inputs.tsx', '<input type="text" />\n'],
    ['README.md', ''],
  ];
  for (const [path, text] of TIDY) {
    test(`${path} of ${text.length} characters is tidy`, () => {
      assert.deepEqual(textFaultsOf(path, text), []);
    });
  }

  const UNTIDY: readonly (readonly [string, string, RegExp])[] = [
    ['packages/core/src/alerts/rules.ts', `const one = { ${DOTS}{ rule, alert } };\n`, /written plainly/],
    ['packages/core/src/alerts/rules.ts', `const all = [${DOTS}[rule, alert], last];\n`, /written plainly/],
    [
      'packages/core/src/alerts/rules.ts',
      `const all = [${DOTS}([rule, alert] as const)];\n`,
      /written plainly/,
    ],
    ['packages/core/src/alertRules.ts', 'x\n', /kebab-case/],
    ['packages/core/src/Alerts/rules.ts', 'x\n', /kebab-case/],
    ['tools/thing.ts', `// @ts-${'ignore'}\n`, /thing\.ts:1 a type error is repaired/],
    ['tools/thing.ts', `// ${'biome'}-ignore lint/suspicious/noExplicitAny: handy\n`, /no exceptions/],
    ['tools/thing.test.ts', SKIPPED, /every test runs/],
    ['tools/thing.test.ts', `test(name, { ${'only'}: true }, () => {});\n`, /every test runs/],
    ['docs/guide.md', `fine\nhttps://${HOST}/thing\n`, /guide\.md:2 which package registry/],
    ['package-lock.json', '"resolved": "https://example.org/thing.tgz",\n', /names no registry/],
    ['packages/console/src/shell/app.css', '.app:has(.map) {\n', /a class says the same/],
    ['packages/core/src/reports/period.ts', 'const own = new Intl.DateTimeFormat();\n', /the same clock/],
    ['packages/console/src/kit/table.tsx', "new Date(at).toLocaleString('de');\n", /the same clock/],
    ['packages/cli/src/alerts.ts', 'at.toLocaleTimeString();\n', /the same clock/],
    ['packages/console/src/kit/table.tsx', '<input type="number" />\n', /in its own language/],
    [
      'packages/console/src/kit/table.tsx',
      "const input = { type: 'datetime-local' };\n",
      /in its own language/,
    ],
    ['packages/console/src/kit/table.tsx', 'const value = input.valueAsNumber;\n', /in its own language/],
    ['docs/guide.md', 'trailing \n', /trailing space/],
    ['docs/guide.md', 'carriage return\r\n', /line feed/],
    ['docs/guide.md', 'cut off', /does not end in a line feed/],
  ];
  for (const [path, text, expected] of UNTIDY) {
    test(`${path} is untidy: ${expected.source}`, () => {
      const faults = textFaultsOf(path, text);
      assert.equal(faults.length, 1);
      assert.match(String(faults[0]), expected);
    });
  }
});
