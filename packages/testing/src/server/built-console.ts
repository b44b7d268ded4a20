import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const FILES: Readonly<Record<string, string>> = {
  'index.html':
    '<!doctype html><title>Granary</title><script type="module" src="/assets/index-Bk2f8QxT.js"></script>',
  'assets/index-Bk2f8QxT.js': "document.title = 'ready';",
  'assets/index-C0ffee00.css': 'body { color: black }',
  'service-worker.js': 'addEventListener("fetch", () => undefined);',
  'manifest.webmanifest': '{"name":"Granary"}',
  'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'icon-192.png': 'not really an image',
  'icon-512.png': 'not really an image',
  'secret.txt': 'of no kind that a page has',
};

const COMPRESSED = /\.(js|css|html)$/;

/** Writes a small page with the files that a build makes. */
export async function writeBuiltConsole(folder: string): Promise<void> {
  await mkdir(join(folder, 'assets'), { recursive: true });
  for (const [name, text] of Object.entries(FILES)) {
    await writeFile(join(folder, name), text);
    if (!COMPRESSED.test(name)) continue;
    await writeFile(join(folder, `${name}.br`), brotliCompressSync(text));
    await writeFile(join(folder, `${name}.gz`), gzipSync(text));
  }
  await writeFile(join(folder, 'built-from'), 'test\n');
}
