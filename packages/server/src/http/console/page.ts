import type { ConsoleFile } from './built-console.ts';

/** Everything comes from this service; only map tiles may come from the one host that the settings name. */
export function contentSecurityPolicy(mapTilesUrl: string | null): string {
  const tiles = mapTilesUrl === null ? '' : ` ${new URL(mapTilesUrl).origin}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: blob:${tiles}`,
    `connect-src 'self'${tiles}`,
    "worker-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const NOT_BUILT = Buffer.from(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Granary</title>
<h1>The operators' page is not built</h1>
<p>The service is running. To build the page, run <code>npm run build</code> in its folder, and load this page again.</p>
<p>The <a href="/docs">reference of the API</a> works without it.</p>
</html>
`);

export const NOT_BUILT_PAGE: ConsoleFile = {
  type: 'text/html',
  encodings: ['identity'],
  body: async () => NOT_BUILT,
  etag: async () => 'W/"not-built"',
};
