import { ApiError, type CallOptions } from '@granary/client';
import { type Confirmable, type Console, callOptions } from './console.ts';

/** Sends a change. Where its facility requires a confirmation, the person is asked, and the change is sent with the confirmation. */
export async function confirmed<Result>(
  console: Console,
  what: Confirmable,
  send: (options: CallOptions) => Promise<Result>,
): Promise<Result> {
  const options = callOptions(console);
  try {
    return await send(options);
  } catch (refusal) {
    if (!(refusal instanceof ApiError) || refusal.code !== 'confirmation_required') throw refusal;
    const isBySecond = refusal.messageCode === 'confirmation_by_another';
    const confirmation = await new Promise<string | null>((answer) => {
      console.confirming.value = { what, isBySecond, answer };
    });
    console.confirming.value = null;
    if (confirmation === null) throw refusal;
    return await send({ ...options, confirmation });
  }
}
