/**
 * For parts of a write whose statements are given at once, so that they are sent together. All parts are waited for, also if one fails:
 * no statement may come after the write has ended.
 */
export async function together<const Parts extends readonly unknown[]>(
  parts: Parts,
): Promise<{ -readonly [Part in keyof Parts]: Awaited<Parts[Part]> }> {
  await Promise.allSettled(parts);
  return await Promise.all(parts);
}
