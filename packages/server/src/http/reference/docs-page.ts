import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import folderOfSwaggerUi from 'swagger-ui-dist/absolute-path.js';

/** Scripts, styles and requests of the page are limited to this service. Swagger UI draws its signs from `data:` images. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const OWN_FILES = new URL('./page/', import.meta.url);
const own = (name: string): Promise<string> => readFile(new URL(name, OWN_FILES), 'utf8');
const ofSwaggerUi = (name: string): Promise<string> => readFile(join(folderOfSwaggerUi(), name), 'utf8');

export const pageText = (): Promise<string> => own('page.html');

/** One file each, so that the page needs few requests. */
export const pageScript = (): Promise<string> => joined(ofSwaggerUi('swagger-ui-bundle.js'), own('page.js'));
export const pageStyle = (): Promise<string> => joined(ofSwaggerUi('swagger-ui.css'), own('page.css'));

const joined = async (...texts: Promise<string>[]): Promise<string> => (await Promise.all(texts)).join('\n');
