/** Each of these fields of a body has one of the values; a path such as `params.name` leads to the field. */
export type UrgentBody = Readonly<Record<string, readonly unknown[]>>;

export const isUrgentBody = (fields: UrgentBody, body: unknown): boolean =>
  Object.entries(fields).every(([path, values]) => values.includes(fieldAt(body, path)));

const fieldAt = (body: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce(
      (part, name) =>
        typeof part === 'object' && part !== null
          ? (part as Readonly<Record<string, unknown>>)[name]
          : undefined,
      body,
    );
