import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** Without its sandbox it also runs as root, and without its own services it asks nobody for anything. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Returns `null` where the browser is missing. */
export async function launchChromium(): Promise<Browser | null> {
  const executablePath = pathOf('chromium');
  return executablePath === undefined ? null : await chromium.launch({ executablePath, args: FLAGS });
}

const pathOf = (command: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
