// Writes the present level of every silo into a CSV file that a spreadsheet opens: node levels-to-csv.mjs levels.csv
import { rename, writeFile } from 'node:fs/promises';
import { createClient } from '@granary/client';

const { GRANARY_URL: baseUrl = 'http://127.0.0.1:8080', GRANARY_API_KEY: apiKey = '' } = process.env;
const [file = 'levels.csv'] = process.argv.slice(2);
const client = createClient({ baseUrl, apiKey });

/** Quotes a text; one that begins like a formula gets an apostrophe, because spreadsheets would calculate it. */
const cell = (value) => {
  const text = String(value ?? '');
  const safe = typeof value === 'string' && /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const rows = [['device_id', 'name', 'level_percent', 'content_kg', 'quality', 'measured_at']];
for await (const { device_id, name } of client.devices.silo.listAll()) {
  const { level } = await client.telemetry.current(device_id);
  rows.push([device_id, name, level.current, level.actual, level.quality, level.timestamp]);
}

// The file is replaced at once, so that nobody opens half of it.
await writeFile(`${file}.new`, rows.map((row) => `${row.map(cell).join(',')}\r\n`).join(''));
await rename(`${file}.new`, file);
console.log(`${rows.length - 1} silos are in ${file}`);
