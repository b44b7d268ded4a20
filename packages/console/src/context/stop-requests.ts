import { ApiError } from '@granary/client';
import { type ReadonlySignal, type Signal, signal } from '@preact/signals';

const AGAIN_MS = 1_000;

/** After this time the page says that nothing was answered: the person must know that the stop has to be pressed at the device. */
const UNANSWERED_AFTER_MS = 1_500;

/** An answer usually takes less. A stop that waits for a connection gets one of those of the streams after this time. */
const ROOM_AFTER_MS = 400;

const READY: StopState = { step: 'ready', refusal: null };

/** `sent`: the service has answered. */
export type StopState =
  | { readonly step: 'ready'; readonly refusal: ApiError | null }
  | { readonly step: 'sending' | 'unanswered' | 'sent' };

/** The stops that a person has pressed. All buttons of one operation or vehicle show and change the same state. */
export class StopRequests {
  readonly #states = new Map<string, Signal<StopState>>();
  readonly #makeRoom: () => void;

  constructor(makeRoom: () => void) {
    this.#makeRoom = makeRoom;
  }

  /** The state of a stop; `id` is that of the operation, or of the vehicle of an emergency stop. */
  of(id: string): ReadonlySignal<StopState> {
    return this.#state(id);
  }

  /** Called when the device has confirmed the stop, so that the button can be pressed for the next movement. */
  confirm(id: string): void {
    const state = this.#state(id);
    if (state.peek().step === 'sent') state.value = READY;
  }

  /** Sends the stop until it is answered, also after the view was closed, because the person expects that it arrives. */
  async press(id: string, stop: () => Promise<unknown>): Promise<void> {
    const state = this.#state(id);
    const { step } = state.peek();
    if (step === 'sending' || step === 'unanswered') return;
    state.value = { step: 'sending' };
    const timers = [
      setTimeout(this.#makeRoom, ROOM_AFTER_MS),
      setTimeout(() => {
        state.value = { step: 'unanswered' };
      }, UNANSWERED_AFTER_MS),
    ];
    state.value = await this.#sent(stop, state);
    for (const timer of timers) clearTimeout(timer);
  }

  async #sent(stop: () => Promise<unknown>, state: Signal<StopState>): Promise<StopState> {
    for (;;) {
      try {
        await stop();
        return { step: 'sent' };
      } catch (error) {
        if (error instanceof ApiError && error.status < 500) return { step: 'ready', refusal: error };
        state.value = { step: 'unanswered' };
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  #state(id: string): Signal<StopState> {
    const known = this.#states.get(id) ?? signal<StopState>(READY);
    this.#states.set(id, known);
    return known;
  }
}
