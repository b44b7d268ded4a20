import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

/** The modules that a program loads, as the ends of their addresses. */
function loadedBy(program: string): string[] {
  const script = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
${program}
console.log(JSON.stringify(loaded));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: new URL('.', import.meta.url),
    maxBuffer: 2 ** 24,
  });
  return JSON.parse(printed.toString().trim().split('\n').at(-1) ?? '[]');
}

const driversIn = (loaded: readonly string[]): string[] =>
  loaded.flatMap(
    (url) =>
      /\/bridge\/src\/drivers\/(?:\w+\/)?(mqtt-driver|http-driver|stream-driver|modbus)\.ts$/.exec(
        url,
      )?.[1] ?? [],
  );

test('a driver is loaded when a device needs it, and not before', () => {
  const bridge = "await import('@granary/bridge/bridge');";
  const drivers = "const { loadDriver } = await import('@granary/bridge/drivers/drivers');";
  const none = loadedBy(bridge);
  assert.ok(none.length > 50);
  assert.deepEqual(driversIn(none), []);
  assert.deepEqual(driversIn(loadedBy(`${bridge}${drivers} await loadDriver('stream');`)), ['stream-driver']);
  assert.deepEqual(driversIn(loadedBy(`${bridge}${drivers} await loadDriver('modbus');`)), ['modbus']);
});

test('the service loads nothing of the bridge and no library of a protocol', () => {
  const loaded = loadedBy("await import('@granary/server/compose');");
  assert.ok(loaded.length > 100);
  const wrong = loaded.filter((url) =>
    /\/packages\/bridge\/|\/node_modules\/(mqtt|yaml|jsmodbus)\//.test(url),
  );
  assert.deepEqual(wrong, []);
});
